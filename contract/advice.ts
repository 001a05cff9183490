import { z } from 'zod';
import { LANGUAGES } from './language.ts';
import { flag, locationFilter, ordered, orderedError, time } from './query.ts';

/** What can be advised, one code a cause (docs/advice.md: evidence, worth, and when each is not given). */
export const ADVICE_CODES = [
  'tls12',
  'no_false_start',
  'flight_over_window',
  'compressed_flight',
  'nagle',
  'small_window',
  'record_over_window',
  'tiny_records',
  'body_over_window',
  'hello_retry',
  'no_post_quantum',
  'no_resumption',
  'early_data',
  'staple_missing',
  'staple_stale',
  'large_rsa_key',
  'no_http2',
  'no_keep_alive',
  'redirect',
  'no_http3',
  'slow_dns',
  'far_away',
  'certificate_expiry',
  'chain_problem',
] as const;
export const AdviceCode = z.enum(ADVICE_CODES).meta({ id: 'AdviceCode' });
export type AdviceCode = z.infer<typeof AdviceCode>;

/** Who gains: browsers send their request early under TLS 1.2 where they may (False Start); other clients do not. */
export const ADVICE_CLIENTS = ['browser', 'api'] as const;
export type AdviceClient = (typeof ADVICE_CLIENTS)[number];

/** Software for which there are snippets; `cdn` is somebody else's. */
export const SERVER_KINDS = ['nginx', 'apache', 'haproxy', 'caddy', 'node', 'cdn'] as const;
export type ServerKind = (typeof SERVER_KINDS)[number];

const ms = z.number().meta({ description: 'ms; negative where it gets slower' });

/** Milliseconds saved until each milestone. */
export const Savings = z.object({ handshake: ms, firstUsable: ms, firstBody: ms, total: ms }).meta({
  id: 'Savings',
  description:
    'Milliseconds saved until the handshake is done, the first usable byte of the response, the first byte of its body, and all of it',
});
export type Savings = z.infer<typeof Savings>;

/**
 * One thing about a server that is set otherwise. `bytes` of a chain are those of its certificates (DER), of records their clear
 * text; `ratio` is the size of the compressed body by that of the plain one; `ms` is what a lookup takes.
 */
export const Change = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.enum([
        ...['tls13', 'falseStart', 'noHelloRetry', 'ecdsa', 'noStaple', 'noDelay'],
        ...['compressCertificate', 'plainCertificate'],
        ...['resume', 'earlyData', 'keepAlive', 'http2', 'noRedirect'],
      ] as const),
    }),
    z.object({ kind: z.enum(['chain', 'records']), bytes: z.number() }),
    z.object({ kind: z.literal('compressBody'), ratio: z.number() }),
    z.object({ kind: z.literal('window'), segments: z.number() }),
    z.object({ kind: z.literal('edge'), rttMs: z.number() }),
    z.object({ kind: z.literal('dns'), ms: z.number() }),
  ])
  .meta({ id: 'ServerChange', description: 'one thing about a server that is set otherwise' });
export type Change = z.infer<typeof Change>;

export const AdviceVantage = z
  .object({
    id: z.string().nullable().meta({ description: 'null: this machine, without a server' }),
    name: z.string().nullable(),
    country: z.string().nullable(),
    region: z.string().nullable(),
    carrier: z.string().nullable(),
    rttMs: z.number().nullable().meta({ description: 'median round-trip time' }),
    results: z.number().int().meta({ description: 'results that could show it' }),
    shown: z.number().int().meta({ description: 'results that show it' }),
    roundTrips: z.number(),
    savesMs: Savings,
  })
  .meta({ id: 'AdviceVantage' });
export type AdviceVantage = z.infer<typeof AdviceVantage>;

const counts = z.object({ vantages: z.number().int(), results: z.number().int() });

/** Advice as codes and figures; texts are added in the reader's language. */
export const AdviceFacts = z.object({
  code: AdviceCode,
  severity: z.enum(['info', 'warning', 'critical']),
  occasion: z.enum(['first', 'return', 'further']).meta({
    description:
      'when it saves: on every visit (`first`), on a later visit by the same client (`return`), on each further request of a visit (`further`)',
  }),
  notice: z.boolean().meta({ description: 'true: nothing that is to be gained today was measured' }),
  roundTrips: z.number().meta({ description: 'round trips saved, median of the vantages that show it' }),
  savesMs: Savings.meta({ description: 'for the client asked for: mean of all vantages, by their weights' }),
  gains: z.object({ browser: Savings, api: Savings }).meta({ description: 'the same for both kinds of client' }),
  vantages: z.array(AdviceVantage).meta({ description: 'vantages that show it, the largest gain first' }),
  shown: counts.meta({ description: 'vantages and results that show it' }),
  judged: counts.meta({ description: 'vantages and results that could show it' }),
  basis: z.enum(['model', 'rule']).nullable().meta({
    description:
      '`model`: savings are from a replay of recorded responses with `changes` made; `rule`: some vantages have no response to replay, so a textbook exchange of that TLS version was taken; null: no time is saved by it',
  }),
  changes: z.array(Change).meta({ description: 'what the model changes, as at the vantage in the middle' }),
  values: z
    .record(z.string(), z.union([z.number(), z.string()]))
    .meta({ description: 'figures of the evidence, by name' }),
  server: z.enum(SERVER_KINDS).nullable().meta({ description: 'from the `server` header; null where it says nothing' }),
  snippets: z.partialRecord(z.enum(SERVER_KINDS), z.string()).meta({
    description:
      'configuration by server; servers without a proven snippet are left out, and all of them where the `server` header names another',
  }),
  confidence: z.enum(['low', 'medium', 'high']),
});
export type AdviceFacts = z.infer<typeof AdviceFacts>;

export const Advice = AdviceFacts.extend({
  title: z.string(),
  evidence: z.string(),
  fix: z.string(),
  caveat: z.string().meta({ description: 'why it might not help' }),
}).meta({ id: 'Advice', description: 'What to change, on what evidence, worth what to whom' });
export type Advice = z.infer<typeof Advice>;

/** Longest range of advice, in days. */
export const MAX_ADVICE_DAYS = 31;

const { country, region, carrier } = locationFilter;
export const AdviceQuery = z
  .strictObject({
    from: time.optional().meta({ description: 'default: 24 hours before `to`' }),
    to: time.optional().meta({ description: 'default: now' }),
    country,
    region,
    carrier,
    client: z.enum(ADVICE_CLIENTS).default('browser').meta({ description: 'whose milliseconds `savesMs` are' }),
    notices: flag.optional().meta({
      description:
        'also what saves nothing on a visit that was measured: post-quantum groups, early data, HTTP/3, staples',
    }),
    language: z.enum(LANGUAGES).default('en').meta({ description: 'of titles, evidence, fixes and caveats' }),
  })
  .refine(ordered, orderedError)
  .meta({ id: 'AdviceQuery' });
export type AdviceQuery = z.infer<typeof AdviceQuery>;

const cost = z.object({ ms: z.number(), ofMs: z.number().meta({ description: 'the whole time until then' }) });

export const Waste = z
  .object({
    roundTrips: z.number().int().meta({ description: 'round trips of a visit until the first byte of the body' }),
    wasted: z.number().int().meta({ description: 'how many of them need not be' }),
    medianMs: z.number().meta({ description: 'what these cost at the vantage in the middle' }),
    worst: z
      .object({ region: z.string(), ms: z.number() })
      .nullable()
      .meta({ description: 'the region where they cost most; null where one alone was measured' }),
    until: z
      .object({ firstBody: cost, total: cost })
      .optional()
      .meta({ description: 'what they cost until the first byte of the body, and until all of it' }),
  })
  .meta({ id: 'Waste', description: 'Medians over the vantages' });
export type Waste = z.infer<typeof Waste>;

export const DeadAddress = z
  .object({
    addresses: z.array(z.string()).meta({ description: 'the five at most that most results met' }),
    results: z.number().int().meta({ description: 'results that met one before another address connected' }),
    ofResults: z.number().int(),
    ms: z.number().meta({ description: 'what these lost to it, at the median' }),
    ofMs: z.number().meta({ description: 'the whole time of these, at the median' }),
  })
  .meta({ id: 'DeadAddress', description: 'Addresses of the name that do not connect' });
export type DeadAddress = z.infer<typeof DeadAddress>;

export const AdviceSample = z
  .object({
    results: z.number().int().meta({ description: 'complete handshakes without loss, by a prober at rest' }),
    vantages: z.number().int().meta({ description: 'vantages that they are from' }),
    ofVantages: z.number().int().meta({ description: 'vantages that probe the target' }),
    enough: z.boolean().meta({
      description:
        'false: too few for advice that is inferred from times (3 results at 2 vantages, or at the only one), so that its absence shows nothing yet',
    }),
  })
  .meta({ id: 'AdviceSample', description: 'What advice is made of' });
export type AdviceSample = z.infer<typeof AdviceSample>;

export const AdviceList = z
  .object({
    waste: Waste.nullable().meta({ description: 'null where no round trip is wasted, as far as the sample is enough' }),
    deadAddress: DeadAddress.optional().meta({ description: 'omitted where each address that was tried connected' }),
    sample: AdviceSample,
    data: z.array(Advice).meta({ description: 'the largest first; empty for a healthy server' }),
  })
  .meta({ id: 'AdviceList' });
export type AdviceList = z.infer<typeof AdviceList>;
