import { z } from 'zod';
import { StartError } from '../start-error.ts';
import { msOrNull, type ReadFile, Reading, reasonOf } from './measurements.ts';
import { carrierOf, placedIn, regionOfCity } from './places.ts';

// Globalping: answers of `GET https://api.globalping.io/v1/measurements/{id}` of the type http (docs of api.globalping.io; jsdelivr/globalping,
// src/measurement/types.ts): one, or a list of them. Of a measurement all results have the instant at which it was created.

const Probe = z.looseObject({
  country: z.string(),
  state: z.string().nullish(),
  city: z.string().nullish(),
  asn: z.number().nullish(),
  network: z.string().nullish(),
  tags: z.array(z.string()).default([]),
});
const Answer = z.looseObject({
  status: z.string(),
  statusCode: z.number().nullish(),
  rawOutput: z.string().nullish(),
  timings: z.record(z.string(), z.number().nullable()).nullish(),
});
const Measurement = z.looseObject({
  id: z.string(),
  type: z.string(),
  target: z.string(),
  createdAt: z.iso.datetime({ offset: true }),
  results: z.array(z.looseObject({ probe: Probe, result: Answer })),
});
type Result = z.infer<typeof Measurement>['results'][number];

/** Measurements of answers of Globalping. Throws StartError for what is none, or of another type than http. */
export function readGlobalping(json: unknown): ReadFile {
  const reading = new Reading();
  for (const [index, each] of [json].flat().entries()) {
    const { data, error } = Measurement.safeParse(each);
    const named = Array.isArray(json) ? `measurement ${index + 1} of the file` : 'the file';
    if (!data)
      throw new StartError(
        `What ${named} holds is no measurement of Globalping: ${error.issues[0]?.path.join('.')} ${error.issues[0]?.message}.`,
      );
    if (data.type !== 'http')
      throw new StartError(
        `The measurement ${data.id} is of the type ${data.type}: only those of the type http have phases of a request.`,
      );
    reading.host(data.target);
    for (const [at, result] of data.results.entries())
      reading.add(`${data.id} results.${at}`, measurementOf(result, data.createdAt));
  }
  return reading.end();
}

function measurementOf({ probe, result }: Result, at: string): Record<string, unknown> | string {
  if (result.status === 'in-progress') return 'is still in progress';
  if (result.status === 'offline') return 'its probe went offline, which says nothing of the target';
  const { country, state, city = null, asn, network, tags } = probe;
  const carrier = carrierOf(network, asn ? `AS${asn}` : null);
  if (carrier === null) return 'its probe has no network';
  const region = state ? `${country}-${state}` : country === 'CN' ? regionOfCity(city ?? '') : null;
  const timings = result.timings ?? {};
  const httpStatus = result.statusCode || null;
  const ok = result.status === 'finished' && (httpStatus === null || httpStatus < 400);
  return {
    at: new Date(at).toISOString(),
    ...placedIn(country, region),
    ...{ carrier, city, ...(asn ? { asn } : {}) },
    ...(tags.includes('eyeball-network') ? { access: 'lastmile' } : {}),
    ok,
    dnsMs: msOrNull(timings.dns),
    connectMs: msOrNull(timings.tcp),
    tlsMs: msOrNull(timings.tls),
    firstByteMs: msOrNull(timings.firstByte),
    downloadMs: msOrNull(timings.download),
    totalMs: msOrNull(timings.total),
    httpStatus,
    ...(ok ? {} : { reason: reasonOf(result.rawOutput?.split('\n')[0]) }),
  };
}
