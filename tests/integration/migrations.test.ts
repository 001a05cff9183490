import { readdirSync, readFileSync } from 'node:fs';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getPool, getPrisma } from '#server/database/database.ts';
import { migrate, pendingMigrations } from '#server/database/migrate.ts';
import { NEWEST_MIGRATION } from '#server/database/schema-version.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

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
