import { readdirSync, readFileSync } from 'node:fs';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getPool, getPrisma } from '#server/database/database.ts';
import { migrate, pendingMigrations } from '#server/database/migrate.ts';
import { NEWEST_MIGRATION } from '#server/database/schema-version.ts';
import { readRollups } from '#server/rollups/read.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { encodeHistogram, histogramOf } from '../support/histograms.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

describe('migrations', () => {
  it('leave nothing pending on a migrated database, and running them again does nothing', async () => {
    expect(await pendingMigrations(database.url)).toEqual([]);
    expect(await migrate(database.url)).toEqual([]);
  });

  it('end with the one the code names as its newest', () => {
    const names = readdirSync('prisma/migrations').filter((name) => /^\d/.test(name));
    expect(names.sort().at(-1)).toBe(NEWEST_MIGRATION);
  });

  it('count as pending what the database has not finished', async () => {
    await getPool().query('update _prisma_migrations set finished_at = null where migration_name = $1', [
      NEWEST_MIGRATION,
    ]);
    expect(await pendingMigrations(database.url)).toEqual([NEWEST_MIGRATION]);
  });

  it('give Prisma its tables', async () => {
    expect(await getPrisma().target.count()).toBe(0);
  });
});

describe('the migration to resolutions', () => {
  const onsetAt = new Date('2026-11-01T08:00:00Z');
  const later = (days: number) => new Date(onsetAt.getTime() + days * 86_400_000);
  /** An incident as it was before, with the reason of its timeline. */
  async function ended(kind: string, reason: string | null, days: number): Promise<string> {
    const id = v7();
    const status = days > 0 ? 'resolved' : 'open';
    const resolvedAt = days > 0 ? later(days) : null;
    await getPrisma().incident.create({
      data: { id, kind, groupKey: '', groups: [], status, severity: 'warning', openedAt: onsetAt, onsetAt, resolvedAt },
    });
    if (reason !== null)
      await getPrisma().incidentEvent.create({
        data: { id: v7(), incidentId: id, at: later(days), kind: 'resolved', params: { reason } },
      });
    return id;
  }

  it('says of each incident that had ended how it did, and lets webhooks hear of acceptances', async () => {
    const made: [string, string, string | null][] = [
      [await ended('regression', 'new_level', 7), 'accepted', 'accepted'],
      [await ended('regression', 'rolled_back', 2), 'rolled_back', 'resolved'],
      [await ended('regression', null, 8), 'accepted', null],
      [await ended('spike', 'new_level', 0.4), 'accepted', 'accepted'],
      [await ended('spike', 'new_level', 0.1), 'superseded', 'resolved'],
      [await ended('spike', 'quiet', 1), 'recovered', 'resolved'],
      [await ended('spike', 'by_hand', 1), 'by_hand', 'resolved'],
      [await ended('down', 'healthy', 1), 'recovered', 'resolved'],
      [await ended('spike', 'gone', 1), 'unwatched', 'resolved'],
    ];
    const without = [await ended('regression', null, 0), await ended('improvement', null, 8)];
    const hook = { format: 'standard', secrets: '', language: 'en', settings: {}, ruleIds: [], severities: [] };
    await getPrisma().webhook.createMany({
      data: [
        { ...hook, id: v7(), name: 'all', events: [] },
        { ...hook, id: v7(), name: 'ends', events: ['tls.regression.resolved'] },
        { ...hook, id: v7(), name: 'spikes', events: ['tls.spike.opened'] },
      ],
    });
    await getPool().query('alter table incident drop column resolution');
    await getPool().query(readFileSync('prisma/migrations/20261122105000_resolutions/migration.sql', 'utf8'));

    for (const [id, resolution, event] of made) {
      expect(await getPrisma().incident.findUniqueOrThrow({ where: { id } })).toMatchObject({ resolution });
      const events = await getPrisma().incidentEvent.findMany({ where: { incidentId: id } });
      expect(events.map(({ kind }) => kind)).toEqual(event === null ? [] : [event]);
    }
    for (const id of without)
      expect(await getPrisma().incident.findUniqueOrThrow({ where: { id } })).toMatchObject({ resolution: null });
    const webhooks = await getPrisma().webhook.findMany({ orderBy: { name: 'asc' } });
    expect(webhooks.map(({ events }) => events)).toEqual([
      [],
      ['tls.regression.resolved', 'tls.regression.accepted'],
      ['tls.spike.opened'],
    ]);
  });
});

describe('a web process of the version before', () => {
  it('goes on storing after the database was migrated, and what it stored is counted', async () => {
    const vantage = makeVantage('CN-SH', 'mobile');
    await insertProber([vantage]);
    const targetId = await insertTarget();
    const startedAt = Date.parse('2026-11-10T08:00:30Z');
    await insertResults([makeResult({ targetId, vantage, startedAt })]);
    await getPool().query('truncate rollup_log');
    // As that version writes it.
    await getPool().query(
      `insert into rollup_log (minute, target_ids)
        select minute, target_ids from json_to_recordset($1) as new (minute int, target_ids uuid[])`,
      [JSON.stringify([{ minute: Math.floor(startedAt / 60_000), target_ids: [targetId] }])],
    );
    await drainRollups({ settled: true });
    const { rows } = await getPool().query('select total from rollup_minute where target_id = $1 and metric = 0', [
      targetId,
    ]);
    expect(rows).toEqual([{ total: 1 }]);
  });
});

describe('the migration to packed rollups', () => {
  const made = readFileSync('prisma/migrations/20261121080100_results/migration.sql', 'utf8');
  const at = new Date('2026-11-18T08:00:00Z');
  const tables = { rollup_minute: '20261118', rollup_ten: '20261101', rollup_hour: '20261101' };

  /** The tables as they were before. */
  async function undo(): Promise<void> {
    const dropped = [...Object.keys(tables), 'rollup_day', 'rollup_log', 'rollup_progress'];
    await getPool().query(`drop table ${dropped.join(', ')}; alter table vantage drop column number;
      drop index rollup_dirty_step_bucket_target_id_idx`);
    for (const [table, day] of Object.entries(tables)) {
      const [create] = new RegExp(`CREATE TABLE "${table}"[^;]*;`).exec(made) ?? [''];
      await getPool().query(create);
      const end = table === 'rollup_minute' ? '2026-11-19' : '2026-12-01';
      const begin = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`;
      await getPool().query(`select ensure_partition('${table}', '${begin} 00:00Z', '${end} 00:00Z')`);
    }
  }

  it('keeps every count and every time, however many histograms a cell held', async () => {
    await undo();
    const vantages = [makeVantage('CN-GD', 'telecom'), makeVantage('CN-BJ', 'unicom')] as const;
    await insertProber([...vantages]);
    const targetId = await insertTarget();
    const single = (ms: number) => encodeHistogram(histogramOf([ms]));
    const tls = [Buffer.concat([single(30), single(50)]), encodeHistogram(histogramOf([400, 420]))];
    for (const [index, { id }] of vantages.entries())
      for (const table of Object.keys(tables))
        await getPool().query(
          `insert into ${table} (target_id, bucket, vantage_id, total, ok, failed_target, failed_resolver, failed_prober, unclean, tls)
            values ($1, $2, $3, $4, 2, $5, 0, 0, 0, $6)`,
          [targetId, at, id, 2 + index, index, tls[index]],
        );
    await getPool().query(readFileSync('prisma/migrations/20261123080000_packed_rollups/migration.sql', 'utf8'));
    await drainRollups({ settled: true });

    const groups = new Map(vantages.map(({ id }, index) => [id, index]));
    const from = at.getTime() / 1_000;
    for (const length of [60, 600, 3_600, 86_400]) {
      const start = Math.floor(from / length) * length;
      const cells = await readRollups({ targetId, from: start, to: start + length, step: null, metric: 'tls', groups });
      const shown = cells
        .toSorted((a, b) => a.group - b.group)
        .map(({ summary: { total, ok, histogram } }) => [total, ok, histogram.count, histogram.sum]);
      expect(shown).toEqual([
        [2, 2, 2, 80_000],
        [3, 2, 2, 820_000],
      ]);
    }
    const { rows } = await getPool().query('select total, ok from rollup_day where target_id = $1 and metric = 0', [
      targetId,
    ]);
    expect(rows).toEqual([{ total: 5, ok: 4 }]);
  });
});
