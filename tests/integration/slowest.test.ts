import { beforeAll, describe, expect, it } from 'vitest';
import type { StorableResult } from '#contract/result.ts';
import { sealDays } from '#server/blocks/seal.ts';
import { getPool } from '#server/database/database.ts';
import { writeSettingOnce } from '#server/database/settings.ts';
import { querySlowest } from '#server/figures/slowest.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { ON_CLUSTER } from '../support/citus/cluster.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const vantages = [makeVantage('CN-GD', 'telecom'), makeVantage('CN-BJ', 'unicom'), makeVantage('CN-XJ', 'unicom')];
const at = (minutes: number) => WEDNESDAY + minutes * MINUTE;
const iso = (minutes: number) => new Date(at(minutes)).toISOString();
/** TLS times, ms, of single results by vantage and minute; all others take 30 ms and less. */
const SLOW: [place: number, minute: number, tls: number][] = [
  [0, 12, 900],
  [0, 13, 850],
  [1, 40, 800],
  [2, 118, 750],
  [0, 60, 700],
  [0, 61, 650],
  [1, 110, 600],
];

let targetId: string;
prepareTestDatabase(vantages);
beforeAll(async () => {
  targetId = await insertTarget();
  const times = new Map(SLOW.map(([place, minute, tls]) => [`${place} ${minute}`, tls]));
  const results = vantages.flatMap((vantage, place) =>
    Array.from({ length: 120 }, (_, minute) =>
      makeResult({
        targetId,
        vantage,
        startedAt: at(minute) + 700 * place,
        tls: times.get(`${place} ${minute}`) ?? 20 + (minute % 10),
      }),
    ),
  );
  for (const { tls, network, phases } of results) {
    if (phases.tls !== 900 || !tls) continue;
    tls.handshake = { ...tls.handshake, roundTrips: 3, expectedRoundTrips: 1 };
    Object.assign(network, { retransmits: 1, synRetransmits: 1, outOfOrder: 2 });
  }
  await insertResults([...results, ...others()]);
  await insertResults([makeResult({ targetId: await insertTarget(), ...first, startedAt: at(5), tls: 5_000 })]);
  await drainRollups({ settled: true });
});

const first = { vantage: vantages[0] as (typeof vantages)[number] };

/** Slower than all, but failed, of an overloaded prober, and another handshake of its check. */
function others(): StorableResult[] {
  const slow = (minute: number) => makeResult({ targetId, ...first, startedAt: at(minute) + 5_000, tls: 2_000 });
  const [failed, overloaded, main] = [slow(20), slow(21), slow(22)];
  const failure = { phase: 'tls', reason: 'tls_reset', source: 'target', message: 'reset' } as const;
  return [
    { ...failed, ok: false, failure },
    { ...overloaded, prober: { ...overloaded.prober, clean: false } },
    { ...main, variant: 'resumed', mainId: main.id },
  ];
}

const target = (demo = false) => ({ id: targetId, demo });
const asked = { metric: 'tls', variant: 'main', from: iso(0), to: iso(120) } as const;
const listed = async (more: object = {}, demo = false) =>
  (await querySlowest(target(demo), { ...asked, ...more }, 5, at(180))).map(
    ({ region, carrier, at: instant, value }) => [
      vantages.findIndex((place) => place.region === region && place.carrier === carrier),
      Math.floor((Date.parse(instant) - WEDNESDAY) / MINUTE),
      value,
    ],
  );

describe('the slowest handshakes of a range', () => {
  it('are the successful ones with the highest values, slowest first', async () => {
    expect(await listed()).toEqual(SLOW.slice(0, 5));
    const [first, second] = await querySlowest(target(), asked, 2, at(180));
    expect(first).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), extraTrips: 2, lost: 3 });
    expect(second).toMatchObject({ extraTrips: 0, lost: 0 });
  });

  it('are the same by ten minutes of coarse steps, whose vantages are read alone', async () => {
    expect(await listed({ from: iso(-7 * 1_440) })).toEqual(SLOW.slice(0, 5));
  });

  it('lie in the range, at the places and of the handshakes that are asked for', async () => {
    expect(await listed({ from: iso(13), to: iso(118) })).toEqual([SLOW[1], SLOW[2], SLOW[4], SLOW[5], SLOW[6]]);
    expect((await listed({ carrier: ['unicom'] })).slice(0, 3)).toEqual([SLOW[2], SLOW[3], SLOW[6]]);
    expect(await listed({ region: ['CN-HL'] })).toEqual([]);
    expect(await listed({ variant: 'resumed' })).toEqual([[0, 22, 2_000]]);
  });

  it('are none where nothing is stored any more, and those that were measured of a demo', async () => {
    expect(await querySlowest(target(), asked, 5, WEDNESDAY + 4_000 * 24 * HOUR)).toEqual([]);
    await writeSettingOnce('demo_past', { from: at(-600) / 1_000, to: at(30) / 1_000 });
    expect(await listed({}, true)).toEqual([SLOW[2], SLOW[3], SLOW[4], SLOW[5], SLOW[6]]);
  });

  it.skipIf(ON_CLUSTER)('are the same once their day is sealed', async () => {
    const longAgo = new Date(WEDNESDAY - 9 * 24 * HOUR);
    await getPool().query('update prober set created_at = $1', [longAgo]);
    expect(await sealDays(WEDNESDAY + 72 * HOUR)).toBeGreaterThan(300);
    expect((await getPool().query('select count(*)::int as n from result where ok')).rows[0].n).toBe(0);
    expect(await listed()).toEqual(SLOW.slice(0, 5));
    expect((await querySlowest(target(), asked, 1, at(180)))[0]).toMatchObject({ extraTrips: 2, lost: 3 });
  });
});
