import { once } from 'node:events';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ComparisonCreate, type ComparisonDetail, ComparisonDetail as Detail } from '#contract/comparison.ts';
import { WebhookPayload } from '#contract/webhook-event.ts';
import { sentenceDirection } from '#i18n/comparison.ts';
import { sealDays } from '#server/blocks/seal.ts';
import { resultsIn, stretchesOf } from '#server/comparisons/comparison-results.ts';
import {
  createComparison,
  deleteComparison,
  dropOldComparisons,
  getComparison,
  listComparisons,
  MOST_WAITING,
} from '#server/comparisons/comparisons.ts';
import { computeDue } from '#server/comparisons/compute.ts';
import { comparisonCsv } from '#server/comparisons/csv.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { createMarker, getMarker, listMarkers } from '#server/markers/markers.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { createWebhook } from '#server/webhooks/webhooks.ts';
import { ON_CLUSTER } from '../support/citus/cluster.ts';
import { storeTls13 } from '../support/compared.ts';
import { MINUTE } from '../support/comparing.ts';
import { FIFTEEN, fewPlaces, TLS12, TLS13, type World, worldResults } from '../support/comparison-worlds.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { allowLoopback } from '../support/deliveries.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { collect } from '../support/process.ts';
import { insertResults } from '../support/results.ts';
import { spawnRoundtrip } from '../support/stack.ts';

const at = new Date(WEDNESDAY);
const iso = (minutes: number) => new Date(WEDNESDAY + minutes * MINUTE).toISOString();
const RANGES = { before: { from: iso(-20), to: iso(0) }, after: { from: iso(0), to: iso(20) } };

let database: TestDatabase;
let targetId: string;
beforeAll(async () => {
  allowLoopback();
  database = await testDatabase();
  ({ targetId } = await storeTls13({ at: WEDNESDAY, name: 'shop' }));
});
afterAll(() => database.drop());

/** Asks for a comparison and computes it. */
async function computed(input: Partial<ComparisonCreate>): Promise<ComparisonDetail> {
  const { id } = await createComparison({ milestone: 'total', ...input }, 'tester');
  await computeDue();
  return await getComparison(id);
}

describe('a comparison around a marker', () => {
  it('is asked for with the marker, computed once its later window is over, and told to webhooks', async () => {
    await createWebhook({
      ...{ name: 'hook', format: 'standard', url: 'http://127.0.0.1:9/hook', secret: null, language: 'zh-CN' },
      ...{
        events: ['comparison.ready'],
        ruleIds: [],
        severities: [],
        settings: SETTINGS,
        template: null,
        enabled: true,
      },
    });
    const marker = { targetId, at: at.toISOString(), title: 'TLS 1.3', text: '', url: null, compareMinutes: 20 };
    const { id: markerId, comparisonId } = await createMarker(marker, 'ci');
    const waiting = await getComparison(comparisonId ?? '');
    expect(waiting).toMatchObject({
      status: 'waiting',
      markerId,
      title: 'TLS 1.3',
      targetName: 'shop',
      createdBy: 'ci',
    });
    expect([waiting.before, waiting.after]).toEqual([RANGES.before, RANGES.after]);
    // Nothing is due before the later window is over.
    expect(await computeDue(undefined, () => new Date(WEDNESDAY + 20 * MINUTE))).toBe(0);
    expect(await computeDue(undefined, () => new Date(WEDNESDAY + 21 * MINUTE))).toBe(1);
    expect(await computeDue()).toBe(0);

    const ready = Detail.parse(await getComparison(waiting.id));
    expect(ready).toMatchObject({
      status: 'ready',
      headline: { direction: 'faster', verdict: 'explained', cause: 'version' },
    });
    const { milestones, pairs, controls } = ready.figures ?? {};
    expect(pairs).toBe(100);
    expect(Math.abs((milestones?.total?.roundTrips?.value ?? 0) + 1)).toBeLessThan(0.15);
    expect(controls?.earlier).toBeNull();
    expect(ready.summary).toMatch(
      /^Whole response: faster by \d+ ± \S+ ms in 5 of 5 provinces; one round trip less, as TLS 1\.3 predicts; /,
    );
    const listed = async () => (await listComparisons({ limit: 5 })).data.find(({ id }) => id === ready.id);
    expect(await listed()).toMatchObject({ headline: ready.headline, summary: ready.summary });
    // Lists read no outcome.
    await getPool().query(`update comparison set outcome = '"not read again"'`);
    expect((await listed())?.headline).toEqual(ready.headline);
    await getPool().query('update comparison set outcome = $1', [
      JSON.stringify({ refusal: null, figures: ready.figures }),
    ]);
    expect((await getMarker(markerId)).comparisonId).toBe(ready.id);
    expect((await listMarkers({ limit: 5 })).data[0]?.comparisonId).toBe(ready.id);

    const delivery = await getPrisma().delivery.findFirstOrThrow({ where: { eventType: 'comparison.ready' } });
    const { data } = WebhookPayload.parse(delivery.payload);
    expect(data).toMatchObject({ id: ready.id, url: `/comparisons/${ready.id}`, targetName: 'shop' });
    expect(data.summary).toContain('少 1 次往返，与 TLS 1.3 的预期一致');
  });

  it('is refused in words where another marker lies in its windows', async () => {
    await createMarker({ targetId, at: iso(-5), title: 'New certificate', text: '', url: null }, 'ci');
    const { data } = await listMarkers({ limit: 5 });
    const marker = data.find(({ title }) => title === 'TLS 1.3');
    const found = await computed({ markerId: marker?.id ?? '' });
    expect(found.figures).toBeNull();
    expect(found.summary).toBe(
      'Two changes at once: “New certificate” lies in the window before the change. Neither can be told from the other.',
    );
    // Around what nobody marked it is taken for the change itself.
    expect((await computed({ targetId, ...RANGES })).headline?.direction).toBe('faster');
    await getPool().query('delete from marker');
  });
});

describe('comparisons', () => {
  it.skipIf(ON_CLUSTER)('are of any two ranges, whole or sealed', async () => {
    const raw = await computed({ targetId, ...RANGES, title: 'by hand' });
    await sealDays(WEDNESDAY + 3 * 86_400_000);
    expect((await getPool().query('select 1 from result where target_id = $1', [targetId])).rowCount).toBe(0);
    const sealed = await computed({ targetId, ...RANGES });
    expect(sealed.figures).toEqual(raw.figures);
  });

  it('say that there is too little data', async () => {
    const empty = { before: { from: iso(-300), to: iso(-280) }, after: { from: iso(-280), to: iso(-260) } };
    const { headline, summary, figures } = await computed({ targetId, ...empty });
    expect([headline?.refusal?.reason, figures]).toEqual(['too_few', null]);
    expect(summary).toContain('At least 20 pairs at 3 vantages are needed.');
  });

  it('around an incident begin at its onset', async () => {
    const incident = await getPrisma().incident.create({
      data: {
        id: '01940000-0000-7000-8000-0000000000aa',
        ...{ kind: 'improvement', groupKey: 'x', groups: [], status: 'resolved', severity: 'info', targetId },
        ...{ openedAt: new Date(WEDNESDAY + 6 * MINUTE), onsetAt: at },
      },
    });
    const found = await computed({ incidentId: incident.id });
    expect(found).toMatchObject({ incidentId: incident.id, before: RANGES.before, headline: { direction: 'faster' } });
  });

  it('are listed newest first, in pages, and deleted', async () => {
    const all = (await listComparisons({ limit: 50, target: targetId })).data;
    const first = await listComparisons({ limit: 2 });
    const second = await listComparisons({ limit: 50, cursor: first.nextCursor ?? '' });
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    expect((await listComparisons({ limit: 5, status: 'waiting' })).data).toEqual([]);
    const id = all[0]?.id ?? '';
    await deleteComparison(id);
    await expect(getComparison(id)).rejects.toThrow('There is no comparison');
    expect(await dropOldComparisons(new Date(Date.now() + 10_000 * 86_400_000))).toBeGreaterThan(0);
    expect((await listComparisons({ limit: 5 })).data).toEqual([]);
  });

  it('name what is wrong with a request', async () => {
    const missing = '01940000-0000-7000-8000-000000000bad';
    const ask = (input: Partial<ComparisonCreate>) => createComparison({ milestone: 'total', ...input }, 'tester');
    await expect(ask({ markerId: missing })).rejects.toThrow('There is no marker');
    await expect(ask({ targetId: missing, ...RANGES })).rejects.toThrow('There is no target');
    const { id } = await createMarker({ targetId: null, at: iso(0), title: 'all', text: '', url: null }, 'ci');
    await expect(ask({ markerId: id })).rejects.toThrow('targetId is needed: markerId is of several targets');
  });

  it(`wait in a queue of ${MOST_WAITING} at the most`, async () => {
    const soon = { from: new Date().toISOString(), to: new Date(Date.now() + 20 * MINUTE).toISOString() };
    const ask = () => createComparison({ milestone: 'total', targetId, before: RANGES.before, after: soon }, 'tester');
    const { id } = await ask();
    await getPool().query(
      `insert into comparison (id, target_id, title, before_from, before_to, after_from, after_to, milestone, due_at, created_by)
        select gen_random_uuid(), target_id, title, before_from, before_to, after_from, after_to, milestone, due_at, created_by
        from comparison, generate_series(2, $2) where id = $1`,
      [id, MOST_WAITING],
    );
    await expect(ask()).rejects.toThrow('are waiting already');
    await getPool().query('delete from comparison');
  });

  it('are computed once, by however many processes', async () => {
    await createComparison({ milestone: 'total', targetId, ...RANGES }, 'tester');
    const computedBy = await Promise.all([computeDue(), computeDue(), computeDue()]);
    expect(computedBy.reduce((sum, n) => sum + n, 0)).toBe(1);
  });

  it('are claimed again where the process that computed them died', async () => {
    const { id } = await createComparison({ milestone: 'total', targetId, ...RANGES }, 'tester');
    await getPool().query(`update comparison set claimed_until = now() + interval '1 minute' where id = $1`, [id]);
    expect(await computeDue()).toBe(0);
    expect(await computeDue(undefined, () => new Date(Date.now() + 2 * MINUTE))).toBe(1);
  });
});

describe('a deploy that changed nothing while one carrier was congested', () => {
  const compareWorld = async (world: Omit<World, 'seed'>) => {
    const id = await insertTarget({ name: `world ${v7()}` });
    const { vantages, results } = worldResults({ ...world, seed: 1 }, id);
    await insertProber(vantages);
    await insertResults(results);
    return await computed({ targetId: id, ...RANGES });
  };

  it('is neither faster nor slower, wherever that is shown', async () => {
    const queueAt = ({ carrier }: { carrier: string }, minute: number) =>
      carrier === 'unicom' && minute >= 0 ? 20 : 0;
    const found = await compareWorld({ places: FIFTEEN, serverAt: () => TLS13, queueAt, jitter: 0.5 });
    expect(found.headline).toMatchObject({ direction: 'unclear', roundTrips: { value: 0, low: 0, high: 0 } });
    expect(found.summary).toMatch(
      /no round trip less or more; no setting changed; Unicom: network \+\d+ ms in 5 provinces\.$/,
    );
    expect(found.figures?.networkMoves).toMatchObject([{ carrier: 'unicom', region: null, regions: 5, of: 5 }]);
    const { shift, network, server } = found.figures?.milestones.total ?? {};
    expect((network?.value ?? 0) + (server?.value ?? 0)).toBeCloseTo(shift?.value ?? 0, 1);
    const rows = comparisonCsv(found)
      .split('\r\n')
      .map((line) => line.split(','));
    expect(new Set(rows.slice(1, -1).map(([, , , , direction]) => direction))).toEqual(new Set(['unclear']));
  });

  it('changed half of its servers: the CSV has both halves, and the list the direction of the changed one', async () => {
    const canaryAt: World['serverAt'] = (minute, random) => (random.chance(minute < 0 ? 0 : 0.5) ? TLS13 : TLS12);
    const found = await compareWorld({ places: FIFTEEN, serverAt: canaryAt });
    expect(found.headline && sentenceDirection(found.headline)).toBe('faster');
    const csv = comparisonCsv(found);
    expect(csv).toMatch(/\r\nchanged,version TLSv1\.3,,,faster,-\d/);
    expect(csv).toMatch(/\r\nunchanged,version TLSv1\.2,,,unclear,/);
  });

  it('refuses sessions: what resumed handshakes show is part of it', async () => {
    const resumesAt = (minute: number) => (minute < 0 ? 1 : 0);
    const found = await compareWorld({ places: fewPlaces(5), serverAt: () => TLS13, resumesAt });
    expect(found.summary).toContain('refused sessions 0% → 100%');
    expect(found.summary).not.toContain('no setting changed');
    const [resumed, ...others] = found.figures?.variants ?? [];
    expect(others).toEqual([]);
    expect(resumed).toMatchObject({ variant: 'resumed', pairs: 100, refused: { before: 0, after: 1 } });
    expect(resumed?.attribution.flips.map(({ setting }) => setting)).toContain('resumed');
    expect(comparisonCsv(found)).toMatch(/\r\nvariant,resumed,,,unclear,/);
  });
});

describe('roundtrip mark', () => {
  const mark = async (...args: string[]) => {
    const child = spawnRoundtrip(['mark', ...args], { DATABASE_URL: database.url });
    const output = collect(child);
    const [status] = await once(child, 'close');
    return { status, output: output() };
  };

  it('marks a target by its name, and prints the addresses of marker and comparison', async () => {
    const { status, output } = await mark('deploy 42', '--target', 'shop', '--at', iso(0), '--compare', '20m');
    expect(output).toMatch(/\/api\/v1\/markers\/\S{36}\n\/comparisons\/\S{36}\n/);
    expect(status).toBe(0);
    const id = /comparisons\/(\S{36})/.exec(output)?.[1] ?? '';
    expect(await getComparison(id)).toMatchObject({ title: 'deploy 42', createdBy: 'command line', ...RANGES });
    await getPool().query('delete from marker');
  });

  it('names what is wrong with its arguments', async () => {
    const unknown = await mark('x', '--target', 'nobody');
    expect([unknown.status, unknown.output]).toEqual([2, expect.stringContaining('There is no target “nobody”')]);
    const short = await mark('x', '--target', 'shop', '--compare', '2m');
    expect([short.status, short.output]).toEqual([
      2,
      expect.stringContaining('It must be from 5m to 24h, such as 20m.'),
    ]);
  });
});

describe('as a table', () => {
  it('a comparison is CSV: a line for all, a region, a cell, a vantage', async () => {
    const found = await computed({ targetId, ...RANGES });
    const lines = comparisonCsv(found).trimEnd().split('\r\n');
    expect(lines[0]).toBe(
      'kind,vantage,region,carrier,direction,shiftMs,lowMs,highMs,networkMs,rttMs,vantages,nBefore,nAfter,serverMs,serverLowMs,serverHighMs',
    );
    expect(lines.map((line) => line.split(',')[0])).toEqual([
      'kind',
      'all',
      ...Array(5).fill('region'),
      ...Array(5).fill('cell'),
      ...Array(5).fill('vantage'),
    ]);
    expect(new Set(lines.map((line) => line.split(',').length))).toEqual(new Set([16]));
    const [vantage] = found.figures?.vantages ?? [];
    if (vantage) vantage.name = '=1+1,"x"';
    expect(comparisonCsv(found)).toContain(`"'=1+1,""x"""`);
  });
});

describe('of a window with many results', () => {
  it('whole runs of all checks are read, spread evenly, and no more than may be', () => {
    const window = { from: 0, to: 24 * 60 * MINUTE };
    expect(stretchesOf(window, { checks: 3, periodMs: MINUTE }, 5_000)).toEqual([window]);
    const stretches = stretchesOf(window, { checks: 93, periodMs: MINUTE }, 5_000);
    expect(stretches).toHaveLength(53);
    expect(new Set(stretches.map(({ from, to }) => to - from))).toEqual(new Set([MINUTE]));
    expect(stretches.every(({ from }, i) => i === 0 || from >= (stretches[i - 1]?.to ?? 0))).toBe(true);
    expect(stretches.at(-1)?.to).toBeGreaterThan(0.95 * window.to);
  });

  it('are chosen by the rate of that time, also where most of its checks are gone', async () => {
    const { targetId: former, vantages } = await storeTls13({ at: WEDNESDAY, name: 'formerly at five vantages' });
    const [kept] = vantages;
    // One check is left, and it has another period since.
    await getPrisma().check.create({
      data: { id: v7(), targetId: former, vantageId: kept?.id ?? '', revision: 1 },
    });
    await getPrisma().target.update({ where: { id: former }, data: { periodSeconds: 300 } });
    await drainRollups();
    const window = { from: WEDNESDAY - 20 * MINUTE, to: WEDNESDAY };
    const found = await resultsIn(former, window, 40);
    const minutes = found.map(({ startedAt }) => (Date.parse(startedAt) - window.from) / MINUTE);
    expect([found.length, Math.min(...minutes) < 3, Math.max(...minutes) > 16]).toEqual([40, true, true]);
    for (const { id } of vantages) expect(found.filter(({ vantage }) => vantage?.id === id)).toHaveLength(8);
  });
});

const SETTINGS = { email: null, contentType: 'application/json', labels: {} };
