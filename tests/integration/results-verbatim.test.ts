import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isStorable, MAX_CLOCK_OFFSET_MS } from '#contract/bounds.ts';
import { Result, type StorableResult } from '#contract/result.ts';
import {
  CHAIN_PROBLEMS,
  FAILURE_REASONS,
  FINDING_CODES,
  KEY_EXCHANGES,
  STAPLE_STATUSES,
  VARIANTS,
  WAIT_CAUSES,
} from '#contract/vocabulary.ts';
import { sealDays } from '#server/blocks/seal.ts';
import { closeDatabase, getPool } from '#server/database/database.ts';
import { getResult } from '#server/results/results.ts';
import { ON_CLUSTER } from '../support/citus/cluster.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertTarget } from '../support/places.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const vantage = makeVantage('CN-GD', 'telecom');
let database: TestDatabase;
let targetId: string;
beforeAll(async () => {
  database = await testDatabase([vantage]);
  targetId = await insertTarget();
});
afterAll(() => database.drop());

const begin = WEDNESDAY;
const milliseconds = fc.integer({ min: 0, max: 600_000_000 }).map((us) => us / 1_000);
const duration = fc.option(milliseconds);
const count = fc.integer({ min: 0, max: 2_147_483_647 });
/** Any code point that can be stored, also those that JSON and COPY escape; now and then as long as `most` lets it be. */
const text = (maxLength: number, most = maxLength) =>
  fc.oneof(
    // A grapheme has several code units, and the contract counts these.
    {
      weight: 20,
      arbitrary: fc.string({ maxLength, unit: 'grapheme' }).filter(({ length }) => length <= most),
    },
    { weight: 4, arbitrary: fc.string({ maxLength: maxLength / 2, unit: 'binary' }).filter(isStorable) },
    { weight: 1, arbitrary: fc.constantFrom('\u4e2d', '"', '\u0001', '\uffff', 'x').map((unit) => unit.repeat(most)) },
  );
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value);
const instant = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
  .map((d) => d.toISOString());

/** A field that may be left out, or null, or have a value. */
const left = <T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(fields, { requiredKeys: [] });
const both = <A extends object, B extends object>(a: fc.Arbitrary<A>, b: fc.Arbitrary<B>) =>
  fc.tuple(a, b).map(([first, second]) => ({ ...first, ...second }));

const phases = both(
  fc.record({
    dns: duration,
    tcp: duration,
    tls: duration,
    firstByte: duration,
    download: duration,
    total: duration,
  }),
  left({ firstBody: duration }),
);
const marks = both(
  fc.record({
    namelookup: duration,
    connect: duration,
    appconnect: duration,
    pretransfer: duration,
    starttransfer: duration,
    total: duration,
  }),
  left({ firstBody: duration }),
);
const network = both(
  fc.record({
    peerAddress: maybe(fc.ipV6()),
    peerPort: maybe(fc.integer({ min: 0, max: 65_535 })),
    localAddress: maybe(fc.ipV4()),
    localPort: maybe(fc.integer({ min: 0, max: 65_535 })),
    family: fc.constantFrom(4 as const, 6 as const, null),
    resolver: maybe(text(40, 128)),
    minRttMs: duration,
    retransmits: maybe(count),
    sndCwnd: maybe(count),
  }),
  left({
    rttMs: duration,
    synRetransmits: maybe(count),
    segmentsIn: maybe(count),
    segmentsOut: maybe(count),
    outOfOrder: maybe(count),
    mss: maybe(count),
    attempts: fc.array(
      fc.record({
        address: fc.ipV6(),
        family: fc.constantFrom(4 as const, 6 as const),
        atMs: milliseconds,
        durationMs: milliseconds,
        reason: fc.constantFrom('tcp_timeout' as const, null),
        syns: maybe(count),
      }),
      { minLength: 1, maxLength: 8 },
    ),
    attemptMs: milliseconds,
  }),
);
const handshake = both(
  fc.record({
    roundTrips: maybe(fc.integer({ min: 0, max: 1_000 })),
    expectedRoundTrips: maybe(fc.integer({ min: 0, max: 10 })),
    rttRatio: maybe(fc.double({ min: 0, max: 1_000_000, noNaN: true }).map((value) => value + 0)),
    wireMs: duration,
    localMs: duration,
    flights: maybe(count),
    records: count,
    bytesIn: count,
    bytesOut: count,
  }),
  left({ workMs: duration }),
);
const sha256 = fc.constantFrom('a1'.repeat(32), 'b2'.repeat(32), 'c3'.repeat(32));
const sent = fc.record({
  certificates: fc.array(
    both(
      fc.record({
        subject: text(60, 2_000),
        issuer: fc.oneof(text(20), fc.constant('a long name '.repeat(150))),
        notBefore: maybe(instant),
        notAfter: maybe(instant),
        sha256,
        keyType: text(8, 32),
        keyBits: maybe(count),
        bytes: count,
      }),
      left({ endsFirst: fc.constant(true as const) }),
    ),
    { maxLength: 4 },
  ),
  messageBytes: count,
  problems: fc.uniqueArray(fc.constantFrom(...CHAIN_PROBLEMS)),
});
const certificate = both(
  fc.record({
    subject: text(60, 2_000),
    issuer: text(60, 2_000),
    notBefore: maybe(instant),
    notAfter: maybe(instant),
    sha256,
    keyType: text(8, 32),
    keyBits: maybe(count),
    names: fc.array(text(20, 256), { maxLength: 5 }),
    chainLength: maybe(count),
    chainBytes: maybe(count),
    verified: fc.boolean(),
    mustStaple: fc.boolean(),
    ocspUrl: maybe(text(40, 2_000)),
  }),
  left({ verifyError: maybe(text(40, 500)), signature: maybe(text(30, 64)), sent: maybe(sent) }),
);
const staple = both(
  fc.record({
    status: fc.constantFrom(...STAPLE_STATUSES),
    producedAt: maybe(instant),
    thisUpdate: maybe(instant),
    nextUpdate: maybe(instant),
    bytes: count,
  }),
  left({ why: text(60, 500) }),
);
const wire = fc.array(
  fc.record({
    atMs: fc.double({ min: 0, max: 600_000, noNaN: true }).map((value) => value + 0),
    direction: fc.constantFrom('in' as const, 'out' as const),
    type: text(10, 32),
    bytes: count,
  }),
  { maxLength: 8 },
);
const hellos = fc.record({
  clientBytes: count,
  offeredVersions: fc.array(text(8, 16), { maxLength: 4 }),
  offeredGroups: fc.array(text(64), { maxLength: 32 }),
  keyShares: fc.array(text(64), { maxLength: 16 }),
  offeredAlpn: fc.array(text(32), { maxLength: 16 }),
  serverLegacyVersion: maybe(text(8, 16)),
});
const session = fc.record({ tickets: count, lifetimeSeconds: maybe(count), earlyDataBytes: count });
const counted = maybe(fc.integer({ min: 0, max: 1_000 }));
const phaseRoundTrips = fc.record({ took: counted, expected: counted });
const instantMs = fc.double({ min: 0, max: 600_000, noNaN: true }).map((value) => value + 0);
const roundTrips = both(
  fc.record({
    tcp: phaseRoundTrips,
    tls: phaseRoundTrips,
    firstByte: phaseRoundTrips,
    firstPacket: phaseRoundTrips,
    waits: fc.array(
      both(
        fc.record({
          phase: fc.constantFrom('tls' as const, 'firstByte' as const, 'download' as const),
          atMs: instantMs,
          waitMs: instantMs,
          afterBytes: count,
        }),
        left({ segments: maybe(count), heldBy: fc.constantFrom(...WAIT_CAUSES) }),
      ),
      { maxLength: 3 },
    ),
  }),
  left({
    firstBody: phaseRoundTrips,
    download: phaseRoundTrips,
    serverWindow: maybe(fc.record({ segments: count, bytes: count, exact: fc.boolean() })),
  }),
);
const tls = both(
  fc.record({
    version: maybe(text(8, 16)),
    cipher: maybe(text(20, 64)),
    group: maybe(text(12)),
    alpn: maybe(text(8, 16)),
    resumed: fc.boolean(),
    helloRetry: fc.boolean(),
    handshake,
    certificate: maybe(certificate),
    staple,
  }),
  left({
    wire,
    hellos: maybe(hellos),
    session: maybe(session),
    keyExchange: maybe(fc.constantFrom(...KEY_EXCHANGES)),
    falseStart: maybe(fc.boolean()),
    flightBytes: maybe(count),
    certificateCompression: maybe(text(8, 16)),
  }),
);
const http = both(
  fc.record({
    version: fc.constantFrom('1.0' as const, '1.1' as const, '2' as const),
    status: maybe(fc.integer({ min: 100, max: 999 })),
    bytes: count,
    firstRecordBytes: maybe(count),
    maxRecordBytes: maybe(count),
    records: maybe(count),
    server: maybe(text(20, 256)),
  }),
  left({
    location: maybe(text(30, 2_000)),
    firstPacketMs: duration,
    firstUsableMs: duration,
    firstBodyPacketMs: duration,
    firstBodyRecordBytes: maybe(count),
    encoding: maybe(text(8, 64)),
    altSvc: maybe(text(20, 256)),
    keepAlive: maybe(fc.boolean()),
    workMs: duration,
  }),
);
const finding = both(
  fc.record({
    code: fc.constantFrom(...FINDING_CODES),
    severity: fc.constantFrom('info' as const, 'warning' as const, 'critical' as const),
    savesRoundTrips: maybe(fc.integer({ min: 0, max: 1_000_000_000 })),
    savesMs: maybe(fc.double({ min: 0, max: 1e9, noNaN: true }).map((value) => value + 0)),
    evidence: text(40, 1_000),
  }),
  left({ values: fc.dictionary(fc.stringMatching(/^[a-z][a-zA-Z]{0,11}$/), fc.oneof(count, text(20))) }),
);
const failure = fc.record({
  phase: fc.constantFrom('dns' as const, 'tls' as const),
  reason: fc.constantFrom(...FAILURE_REASONS),
  source: fc.constantFrom('target' as const, 'resolver' as const, 'prober' as const),
  message: text(80, 1_000),
});

const changes = fc.record({
  seconds: fc.integer({ min: 0, max: 3_000_000 }),
  engineVersion: fc.oneof(fc.constantFrom(1, 2), fc.integer({ min: 1, max: 10_000 })),
  url: text(60, 2_048),
  failure: maybe(failure),
  phases,
  marks,
  network,
  tls: maybe(tls),
  http: maybe(http),
  prober: both(
    fc.record({ loopDelayMs: duration.map((value) => value ?? 0), inFlight: count, clean: fc.boolean() }),
    left({
      lateMs: duration,
      stampedBy: fc.constantFrom('watcher' as const, 'loop' as const),
      clockOffsetMs: fc.integer({ min: -MAX_CLOCK_OFFSET_MS, max: MAX_CLOCK_OFFSET_MS }),
    }),
  ),
  findings: fc.array(finding, { maxLength: 4 }),
  optional: left({
    variant: fc.constantFrom(...VARIANTS),
    mainId: maybe(fc.uuid({ version: 7 })),
    roundTrips: maybe(roundTrips),
  }),
});

/** The same with null for what may be null and is left out: both are one. */
function filledIn(result: StorableResult): StorableResult {
  const { phases, marks, network, tls: handshake, http: answer, roundTrips: counts, prober } = result;
  const proof = handshake?.certificate;
  return {
    mainId: null,
    ...result,
    phases: { firstBody: null, ...phases },
    marks: { firstBody: null, ...marks },
    network: {
      rttMs: null,
      synRetransmits: null,
      segmentsIn: null,
      segmentsOut: null,
      outOfOrder: null,
      mss: null,
      ...network,
    },
    tls: handshake && {
      keyExchange: null,
      falseStart: null,
      flightBytes: null,
      certificateCompression: null,
      ...handshake,
      handshake: { workMs: null, ...handshake.handshake },
      certificate: proof ? { signature: null, ...proof } : null,
    },
    http: answer && {
      firstPacketMs: null,
      firstUsableMs: null,
      firstBodyPacketMs: null,
      firstBodyRecordBytes: null,
      encoding: null,
      altSvc: null,
      keepAlive: null,
      workMs: null,
      ...answer,
    },
    ...(counts ? { roundTrips: { serverWindow: null, ...counts } } : {}),
    prober: { lateMs: null, ...prober },
  };
}

/** Seals the day of these results, or packs what came since. */
async function sealAll(): Promise<void> {
  await sealDays(begin + 3 * 86_400_000);
  const { rowCount } = await getPool().query('select from result where ok');
  expect(rowCount).toBe(0);
}

/** Stores batches of any results, and seals them where it says so, and holds what is read back against them. */
async function storeAndCompare(numRuns: number, seal = false) {
  await fc.assert(
    fc.asyncProperty(fc.array(changes, { minLength: 1, maxLength: 12 }), async (batch) => {
      const sent: StorableResult[] = batch.map(({ seconds, optional, ...fields }) => ({
        ...makeResult({ targetId, vantage, startedAt: begin + seconds }),
        ...fields,
        ...optional,
        ok: fields.failure === null,
      }));
      for (const result of sent) Result.parse(result);
      await insertResults(sent);
      if (seal) await sealAll();
      for (const result of sent) expect(await getResult(result.id)).toEqual(filledIn(result));
    }),
    { numRuns },
  );
}

describe('any result that the contract lets in', () => {
  it('comes back exactly as it was sent, but that nothing is left out that may be null', () => storeAndCompare(40));

  it.each(['America/New_York', 'Asia/Kathmandu'])(
    'also where the database lives in %s, whose old offsets have seconds',
    async (zone) => {
      await getPool().query(`alter database ${new URL(database.url).pathname.slice(1)} set timezone to '${zone}'`);
      await closeDatabase();
      await storeAndCompare(15);
    },
  );
});

describe.skipIf(ON_CLUSTER)('any such result that is sealed', () => {
  it('comes back as exactly', () => storeAndCompare(8, true), 60_000);
});
