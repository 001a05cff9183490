import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';

// A collector's receiver of metrics, by the protocol's own description (opentelemetry-proto 1.x): what of it pushes here use.

const SCHEMA = `syntax = "proto3";
message ExportMetricsServiceRequest { repeated ResourceMetrics resource_metrics = 1; }
message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; }
message Resource { repeated KeyValue attributes = 1; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
message ScopeMetrics { InstrumentationScope scope = 1; repeated Metric metrics = 2; }
message InstrumentationScope { string name = 1; string version = 2; }
message Metric {
  string name = 1; string description = 2; string unit = 3;
  oneof data { Gauge gauge = 5; Sum sum = 7; Histogram histogram = 9; ExponentialHistogram exponential_histogram = 10; }
}
message Gauge { repeated NumberDataPoint data_points = 1; }
message Sum { repeated NumberDataPoint data_points = 1; }
message ExponentialHistogram { repeated bytes data_points = 1; }
message Histogram { repeated HistogramDataPoint data_points = 1; int32 aggregation_temporality = 2; }
message NumberDataPoint {
  repeated KeyValue attributes = 7; fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3;
  oneof value { double as_double = 4; sfixed64 as_int = 6; }
}
message HistogramDataPoint {
  repeated KeyValue attributes = 9; fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3; fixed64 count = 4;
  optional double sum = 5; repeated fixed64 bucket_counts = 6; repeated double explicit_bounds = 7;
}`;
const Request = protobuf.parse(SCHEMA, { keepCase: false }).root.lookupType('ExportMetricsServiceRequest');

/** A data point of a metric; times in ns since 1970, 0 where there is none. */
export type Point = {
  attributes: Record<string, string>;
  startTime: number;
  time: number;
  value?: number;
  histogram?: { count: number; sum: number; counts: number[]; bounds: number[]; temporality: number };
};
/** What one request had: `metrics` by name. */
export type Pushed = {
  at: number;
  path: string;
  headers: IncomingHttpHeaders;
  bytes: number;
  resource: Record<string, string>;
  metrics: Map<string, { unit: string; points: Point[] }>;
};

type Attribute = { key: string; value?: { stringValue?: string } };
type Read = {
  resourceMetrics: {
    resource: { attributes: Attribute[] };
    scopeMetrics: { metrics: ReadMetric[] }[];
  }[];
};
type ReadPoint = {
  attributes: Attribute[];
  startTimeUnixNano?: number;
  timeUnixNano: number;
  asDouble?: number;
  count?: number;
  sum?: number;
  bucketCounts?: number[];
  explicitBounds?: number[];
};
type ReadMetric = {
  name: string;
  unit?: string;
  gauge?: { dataPoints: ReadPoint[] };
  histogram?: { dataPoints: ReadPoint[]; aggregationTemporality: number };
};

const byName = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value?.stringValue ?? '']));

function pointOf(point: ReadPoint, temporality: number | undefined): Point {
  const { attributes, startTimeUnixNano: startTime = 0, timeUnixNano: time, asDouble } = point;
  const common = { attributes: byName(attributes), startTime, time };
  if (temporality === undefined) return { ...common, value: asDouble };
  const { count = 0, sum = Number.NaN, bucketCounts: counts = [], explicitBounds: bounds = [] } = point;
  return { ...common, histogram: { count, sum, counts, bounds, temporality } };
}

/** What a request's body has. Throws for what the protocol does not know. */
export function decodePush(body: Uint8Array): Pick<Pushed, 'resource' | 'metrics'> {
  const read = Request.toObject(Request.decode(body), { longs: Number, arrays: true }) as Read;
  const [{ resource, scopeMetrics } = { resource: { attributes: [] }, scopeMetrics: [] }] = read.resourceMetrics;
  const metrics = scopeMetrics.flatMap((scope) => scope.metrics);
  return {
    resource: byName(resource.attributes),
    metrics: new Map(
      metrics.map(({ name, unit = '', gauge, histogram }) => {
        const points = (gauge ?? histogram)?.dataPoints ?? [];
        return [name, { unit, points: points.map((point) => pointOf(point, histogram?.aggregationTemporality)) }];
      }),
    ),
  };
}

/** A receiver at `port` (any, where there is none). */
export type Receiver = {
  url: string;
  port: number;
  pushed: Pushed[];
  next: () => Promise<Pushed>;
  stop: () => Promise<void>;
};

export async function startReceiver(port = 0): Promise<Receiver> {
  const pushed: Pushed[] = [];
  const server: Server = createServer(async (request, response) => {
    const sent = await buffer(request);
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    const push = {
      at: Date.now(),
      path: request.url ?? '',
      headers: request.headers,
      bytes: sent.length,
      ...decodePush(body),
    };
    pushed.push(push);
    // The empty message: all was taken.
    response.setHeader('content-type', 'application/x-protobuf').end();
    server.emit('pushed', push);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const taken = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${taken}`,
    port: taken,
    pushed,
    async next() {
      const [push] = (await once(server, 'pushed')) as [Pushed];
      return push;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
