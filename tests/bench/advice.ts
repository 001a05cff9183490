import { AdviceQuery } from '#contract/advice.ts';
import { queryAdvice, readAdvice } from '#server/advice/advice.ts';
import { sealDays } from '#server/blocks/seal.ts';
import { adviseResult } from '../support/advised.ts';
import { assignAll, insertProber, insertTarget } from '../support/places.ts';
import { insertResults } from '../support/results.ts';
import { mainlandVantages } from '../support/vantages.ts';
import { onFreshDatabase } from './database.ts';
import { latencyOf } from './matrix.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MINUTES = 24 * 60;
const AT_ONCE = 30;

/** How long advice of one target takes: 93 vantages, a result a minute each over 24 hours, 133,920 in all. As rows, and sealed. */
export async function benchAdvice(): Promise<void> {
  await onFreshDatabase(async () => {
    // The day before yesterday is over long enough to be sealed.
    const begin = Math.floor(Date.now() / DAY_MS) * DAY_MS - 2 * DAY_MS;
    const target = await fillDay(begin);
    const range = { from: new Date(begin).toISOString(), to: new Date(begin + DAY_MS).toISOString() };
    const query = AdviceQuery.parse({ ...range, client: 'api' });
    const { data } = await queryAdvice(target, query);
    console.log(data.map(({ code, judged }) => `${code} (${judged.results} results)`).join(', '));
    await report('rows', target, query);
    await sealDays(begin + 4 * DAY_MS);
    await report('sealed', target, query);
  });
}

async function fillDay(begin: number): Promise<string> {
  const vantages = mainlandVantages();
  await insertProber(vantages);
  const targetId = await insertTarget();
  await assignAll(vantages);
  for (let minute = 0; minute < MINUTES; minute += AT_ONCE)
    await insertResults(
      vantages.flatMap((vantage, place) =>
        Array.from({ length: AT_ONCE }, (_, n) => {
          const at = begin + (minute + n) * MINUTE_MS + place * 300;
          return { ...wasteful(20 + place, new Date(at).toISOString()), targetId, vantage };
        }),
      ),
    );
  return targetId;
}

/** TLS 1.2 with large certificates, and 16 kB records. */
const wasteful = (rttMs: number, startedAt: string) =>
  adviseResult({
    rttMs,
    startedAt,
    tls: { version: 'TLSv1.2', cipher: 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', falseStart: true, flightBytes: 17_000 },
    certificate: { keyType: 'rsa', keyBits: 2_048, chainBytes: 15_500 },
    http: { bytes: 60_000, firstBodyRecordBytes: 16_406, maxRecordBytes: 16_406 },
    phases: { firstBody: 2 * rttMs },
    roundTrips: {
      tls: { took: 3, expected: 2 },
      waits: [{ phase: 'tls', atMs: 60, waitMs: rttMs, afterBytes: 14_480, segments: 10, heldBy: 'window' }],
    },
  });

async function report(name: string, target: string, query: AdviceQuery): Promise<void> {
  const calls: [string, () => Promise<unknown>][] = [
    ['advice by API', () => queryAdvice(target, query)],
    ['the page’s, with notices and changes', () => readAdvice(target, query)],
  ];
  for (const [what, call] of calls) {
    const { p50, p95 } = await latencyOf(call);
    console.log(`${name}: ${what}, 24 h: ${p50.toFixed(1)} ms (p95 ${p95.toFixed(1)} ms)`);
  }
}
