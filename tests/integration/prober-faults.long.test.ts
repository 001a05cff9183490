import { once } from 'node:events';
import { describe, expect, vi } from 'vitest';
import { getPool } from '#server/database/database.ts';
import { getVantage } from '#server/vantages/vantages.ts';
import type { Prober } from '#workers/prober/prober.ts';
import { type Fault, MIDDLEBOX, type Passing } from '../support/fault-proxy.ts';
import { end, prepareRoutes, type RoutesScene, routesTest as test, within } from '../support/prober-scene.ts';
import { minutesOf, storedResults } from '../support/watched.ts';

// A prober, a proxy at which things go wrong, and the server's own routes on a real database.

// They wait for one another's turns of a second, and do so side by side.
vi.setConfig({ maxConcurrency: 10 });
prepareRoutes();

const toResults = ({ path }: Passing) => path === '/api/ingest/results';

/** Stops the prober: all that it measured is stored, once, and the rollups say so too. */
async function expectNothingLost({ watched }: RoutesScene, prober: Prober): Promise<void> {
  await prober.stop();
  const { started, retaken, faults, pendingBytes, rejected, quarantined } = prober.stats();
  const stored = await storedResults(watched.targetId);
  expect({ faults, pendingBytes, rejected, quarantined }).toEqual({
    faults: 0,
    pendingBytes: 0,
    rejected: 0,
    quarantined: 0,
  });
  expect(stored).toHaveLength(started + retaken);
  expect(new Set(stored.map(({ id }) => id)).size).toBe(stored.length);
  const minutes = await minutesOf(watched.targetId);
  expect([...minutes.values()].reduce((sum, n) => sum + n, 0)).toBe(stored.length);
}

describe.concurrent('a prober loses no result and doubles none', () => {
  // One that says no as a server could, and one that says yes; the others belong to the full extent.
  const told = Object.keys(MIDDLEBOX);
  const answers = Object.entries<Fault>(MIDDLEBOX).filter(([name]) => told.includes(name));
  test.for(answers)('where something on the way answers %s', async ([, fault], { scene }) => {
    const { bench, proxy } = scene;
    let times = 0;
    proxy.fault = (passing) => (toResults(passing) && ++times <= 2 ? fault : null);
    const prober = await bench.start();
    await vi.waitFor(() => expect(prober.stats().uploaded).toBeGreaterThan(1), within);
    expect(proxy.counts.faults).toBe(2);
    expect(bench.log.join('\n')).toContain('the server takes no results, keeping them');
    await expectNothingLost(scene, prober);
  });

  test('where answers are lost, and requests doubled, held back and reordered', async ({ scene }) => {
    const { bench, proxy } = scene;
    const faults: (Fault | null)[] = [
      { kind: 'loseAnswer' },
      null,
      { kind: 'double', answer: 'first' },
      { kind: 'hangUp' },
      { kind: 'double', answer: 'second' },
      { kind: 'hold', requests: 1 },
      { kind: 'loseAnswer' },
    ];
    proxy.fault = (passing) => (toResults(passing) ? (faults.shift() ?? null) : null);
    const prober = await bench.start();
    await vi.waitFor(() => expect(faults).toEqual([]), within);
    const { uploaded } = prober.stats();
    await vi.waitFor(() => expect(prober.stats().uploaded).toBeGreaterThan(uploaded), within);
    expect(prober.stats().duplicates).toBeGreaterThan(0);
    await expectNothingLost(scene, prober);
  });

  test('where a captive portal answers 401 to everything, which is not the server’s word', async ({ scene }) => {
    const { bench, proxy } = scene;
    const prober = await bench.start({ giveUpAfterMs: 0 }); // the server's own first 401 would end it
    await vi.waitFor(() => expect(prober.stats().uploaded).toBeGreaterThan(0), within);
    const { faults } = proxy.counts;
    proxy.fault = () => MIDDLEBOX.html401;
    await proxy.until(() => proxy.counts.faults >= faults + 4);
    const { uploaded, started } = prober.stats();
    await vi.waitFor(() => expect(prober.stats().started).toBeGreaterThan(started + 1), within);
    proxy.fault = () => null;
    await vi.waitFor(() => expect(prober.stats().uploaded).toBeGreaterThan(uploaded + 1), within);
    await expectNothingLost(scene, prober);
  });

  test('where the database cannot be written: 503 with our problem and retry-after', async ({ scene }) => {
    const { bench, watched } = scene;
    const prober = await bench.start();
    await vi.waitFor(() => expect(prober.stats().uploaded).toBeGreaterThan(0), within);
    await getPool().query(`create or replace function no_space() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file "base/5/1259": No space left on device' using errcode = '53100'; end $$`);
    const { rows } = await getPool().query('select prober_id as id from vantage where id = $1', [watched.vantageId]);
    // At the prober's row by Prisma, at the results' rows by COPY; those of the other tests are left alone.
    for (const [table, own] of [
      ['prober', `new.id = '${rows[0]?.id}'`],
      ['result', `new.vantage_id = '${watched.vantageId}'`],
    ]) {
      await getPool().query(
        `create trigger full_disk before insert or update on ${table} for each row when (${own})
          execute function no_space()`,
      );
      const { started } = prober.stats();
      await vi.waitFor(
        () => expect(bench.log.join('\n')).toMatch(/keeping them: status 503 \(The database cannot be written/),
        within,
      );
      await vi.waitFor(() => expect(prober.stats().started).toBeGreaterThan(started), within);
      const { uploaded } = prober.stats();
      // It locks a table and its partitions, as those do that store: one of them may be the victim of a deadlock.
      await vi.waitFor(() => getPool().query(`drop trigger full_disk on ${table}`), within);
      await vi.waitFor(() => expect(prober.stats().uploaded).toBeGreaterThan(uploaded), within);
      bench.log.length = 0;
    }
    await expectNothingLost(scene, prober);
  });
});

test.concurrent('what the server refuses for good lies in the quarantine, and the vantage shows it', async ({
  scene: { bench, proxy, watched },
}) => {
  const prober = await bench.start();
  await vi.waitFor(() => expect(prober.stats().uploaded).toBeGreaterThan(0), within);
  proxy.fault = (passing) => (toResults(passing) ? { kind: 'hangUp' } : null);
  await getPool().query('update target set deleted_at = now() where id = $1', [watched.targetId]);
  const { started } = prober.stats();
  await vi.waitFor(() => expect(prober.stats().started).toBeGreaterThan(started + 3), within);
  proxy.fault = () => null;
  await vi.waitFor(() => expect(prober.stats().quarantined).toBeGreaterThan(2), within);
  await vi.waitFor(async () => {
    const { prober: activity } = await getVantage(watched.vantageId);
    expect(activity?.quarantined).toBeGreaterThan(2);
    expect(activity?.quarantineBytes).toBeGreaterThan(1_000);
    expect(activity?.lastHour.rejected).toBeGreaterThan(2);
  }, within);
  await prober.stop();
  const { rejected, started: all, retaken } = prober.stats();
  const refused = bench.quarantine();
  expect(refused).toHaveLength(rejected);
  expect(refused[0]).toMatchObject({
    field: 'targetId',
    reason: 'is a target that has been deleted',
    result: { targetId: watched.targetId },
  });
  expect((await storedResults(watched.targetId)).length + rejected).toBe(all + retaken);
});

describe('enrolment', () => {
  const toEnrol = ({ path }: Passing) => path === '/api/ingest/enrol';
  const probersOf = async (vantageId: string) =>
    (
      await getPool().query('select p.id from prober p join vantage v on v.prober_id = p.id where v.id = $1', [
        vantageId,
      ])
    ).rows.length;
  const allProbers = async () => (await getPool().query('select id from prober')).rows.length;

  test('survives a lost answer and a kill -9: the same token enrols the same prober', async ({
    scene: { bench, proxy, watched },
  }) => {
    const before = await allProbers();
    proxy.fault = (passing) => (toEnrol(passing) ? { kind: 'loseAnswer' } : null);
    const first = bench.spawn({ threads: 1 });
    await proxy.until(() => proxy.counts.forwarded >= 1);
    await end(first, 'SIGKILL');
    expect(await probersOf(watched.vantageId)).toBe(1);
    proxy.fault = () => null;
    const second = bench.spawn({ threads: 1 });
    expect(await once(second, 'message')).toEqual([{ ready: true }, undefined]);
    await vi.waitFor(async () => expect((await storedResults(watched.targetId)).length).toBeGreaterThan(0), within);
    expect(await allProbers()).toBe(before + 1);
  });

  test('repeats itself while answers get lost, and without a kill', async ({ scene }) => {
    const { bench, proxy, watched } = scene;
    let lost = 0;
    proxy.fault = (passing) => (toEnrol(passing) && ++lost <= 2 ? { kind: 'loseAnswer' } : null);
    const prober = await bench.start();
    await vi.waitFor(() => expect(prober.stats().uploaded).toBeGreaterThan(0), within);
    expect(await probersOf(watched.vantageId)).toBe(1);
    await expectNothingLost(scene, prober);
  });
});
