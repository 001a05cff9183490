import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RETENTION_CLASS_NAMES, RETENTION_CLASSES, type Retention } from '#contract/retention.ts';
import { getPool } from '#server/database/database.ts';
import { readRetention } from '#server/database/disk.ts';
import { ensurePartitions } from '#server/database/partitions.ts';
import { getRetention } from '#server/database/retention.ts';
import { dropOldDetections, dropOldIncidents } from '#server/incidents/expiry.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { prepareApi } from '../support/prepare.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const DAY = 86_400_000;
const PATH = '/api/v1/retention';

const api = prepareApi();
beforeAll(async () => {
  await ensurePartitions([WEDNESDAY]);
});

const read = async () => (await api.ask('GET', PATH)).json as Retention;
const classOf = ({ classes }: Retention, name: string) => classes.find((each) => each.name === name);

describe('retention', () => {
  afterEach(() => getPool().query(`delete from setting where key = 'retention'`));

  it('is told by class, with the default, who set it and what it takes', async () => {
    const { classes, databaseBytes, freeBytes } = await read();
    expect(classes.map(({ name }) => name)).toEqual(RETENTION_CLASS_NAMES);
    for (const { name, days, defaultDays, setBy, bytes } of classes) {
      expect({ days, defaultDays, setBy }).toEqual({
        days: RETENTION_CLASSES[name].default,
        defaultDays: RETENTION_CLASSES[name].default,
        setBy: 'default',
      });
      // The day of results is one of these by its age.
      const other = { rawDays: 'oddDays', oddDays: 'rawDays' }[String(name)];
      expect(bytes + (classes.find((each) => each.name === other)?.bytes ?? 0)).toBeGreaterThan(0);
    }
    expect(databaseBytes).toBeGreaterThan(1_000_000);
    expect(freeBytes).toBeGreaterThan(0);
  });

  it('is changed by class, keeps the others, and goes back to the default', async () => {
    await api.ask('PATCH', PATH, { body: { rawDays: 7, minuteDays: 60 } });
    const changed = (await api.ask('PATCH', PATH, { body: { rawDays: 14 } })).json as Retention;
    expect(classOf(changed, 'rawDays')).toMatchObject({ days: 14, setBy: 'setting', defaultDays: 30 });
    expect(classOf(changed, 'minuteDays')).toMatchObject({ days: 60, setBy: 'setting' });
    await api.ask('PATCH', PATH, { body: { rawDays: null } });
    expect(classOf(await read(), 'rawDays')).toMatchObject({ days: 30, setBy: 'default' });
    expect(classOf(await read(), 'minuteDays')).toMatchObject({ days: 60 });
  });

  it.each([
    [{ rawDays: 0 }, 'rawDays'],
    [{ hourDays: 10_001 }, 'hourDays'],
    [{ dayDays: 1.5 }, 'dayDays'],
    [{ minuteDays: '30' }, 'minuteDays'],
    [{ weeks: 3 }, 'weeks'],
  ])('refuses %o and changes nothing', async (body, field) => {
    const answer = await api.ask('PATCH', PATH, { body });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ errors: [{ field }] });
    expect((await read()).classes.every(({ setBy }) => setBy === 'default')).toBe(true);
  });

  it('is for administrators alone', async () => {
    for (const key of [api.keys.read, api.keys.write]) {
      expect((await api.ask('GET', PATH, { key })).status).toBe(403);
      expect((await api.ask('PATCH', PATH, { key, body: { rawDays: 1 } })).status).toBe(403);
    }
  });

  it('that the environment fixes wins, and cannot be changed', async () => {
    const { changeRetention } = await import('#server/database/retention.ts');
    await changeRetention({ rawDays: 20, deliveryDays: 9 });
    process.env.ROUNDTRIP_RETENTION_RAW_DAYS = '5';
    try {
      expect(classOf(await readRetention(), 'rawDays')).toMatchObject({ days: 5, setBy: 'environment' });
      await expect(changeRetention({ rawDays: 6 })).rejects.toThrow('ROUNDTRIP_RETENTION_RAW_DAYS');
      await changeRetention({ hourDays: 100 });
      expect(await getRetention()).toMatchObject({ rawDays: 5, hourDays: 100, deliveryDays: 9, minuteDays: 90 });
    } finally {
      delete process.env.ROUNDTRIP_RETENTION_RAW_DAYS;
    }
  });

  it('says what a day takes once a whole day is there', async () => {
    const vantage = makeVantage('CN-GD', 'telecom');
    await insertProber([vantage]);
    const targetId = await insertTarget();
    const before = WEDNESDAY - DAY;
    await ensurePartitions([before, WEDNESDAY]);
    await insertResults(
      Array.from({ length: 50 }, (_, minute) => makeResult({ targetId, vantage, startedAt: before + minute * 60_000 })),
    );
    const raw = classOf(await readRetention(WEDNESDAY + 1_000), 'rawDays');
    expect(raw?.bytesPerDay).toBeGreaterThan(10_000);
    expect(raw?.bytesWhenFull).toBe(30 * (raw?.bytesPerDay ?? 0));
    expect(classOf(await readRetention(before + 1_000), 'rawDays')).toMatchObject({ bytesPerDay: null });
  });
});

describe('figures of ten minutes', () => {
  it('are rated by the oldest bucket of the newest month', async () => {
    const oldest = WEDNESDAY - 2 * DAY;
    await ensurePartitions([oldest, WEDNESDAY]);
    const month = new Date(WEDNESDAY).toISOString().slice(0, 7).replace('-', '');
    await getPool().query(
      `insert into rollup_ten (target_id, metric, bucket, cells)
        select gen_random_uuid(), 1, $1::timestamptz + n * interval '10 minutes', ''::bytea
        from generate_series(0, 287) as n`,
      [new Date(oldest)],
    );
    await getPool().query(`analyze rollup_ten_p${month}01`);
    const tens = classOf(await readRetention(WEDNESDAY), 'tenMinuteDays');
    expect((tens?.bytes ?? 0) / (tens?.bytesPerDay ?? 1)).toBeCloseTo(2, 0);
    expect(classOf(await readRetention(oldest + DAY / 2), 'tenMinuteDays')).toMatchObject({ bytesPerDay: null });
  });
});

describe('what is past its retention', () => {
  it('goes: resolved incidents with their timelines, and detections of no incident', async () => {
    const now = new Date(WEDNESDAY);
    const ago = (days: number) => new Date(WEDNESDAY - days * DAY);
    const id = (n: number) => `01970000-0000-7000-8000-00000000000${n}`;
    const incident = (n: number, status: string, resolved: Date | null) =>
      getPool().query(
        `insert into incident (id, kind, group_key, groups, status, severity, opened_at, onset_at, resolved_at)
          values ($1::uuid, 'spike', $1::text, '{}', $2, 'warning', $3, $3, $4)`,
        [id(n), status, ago(3_000), resolved],
      );
    await incident(1, 'resolved', ago(1_826));
    await incident(2, 'resolved', ago(1_824));
    await incident(3, 'open', null);
    for (const n of [1, 2, 3])
      await getPool().query(
        `insert into incident_event (id, incident_id, at, kind) values ($1::uuid, $1::uuid, $2, 'opened')`,
        [id(n), ago(3_000)],
      );
    for (const [n, days] of [
      [4, 1_826],
      [5, 1_826],
      [6, 1_824],
    ] as const)
      await getPool().query(
        `insert into detection (id, group_key, target_id, vantage_id, kind, metric, at, change_at, cause)
          values ($1::uuid, 'g', $1::uuid, $1::uuid, 'spike', 'tls', $2, $2, 'server')`,
        [id(n), ago(days)],
      );
    await getPool().query('insert into incident_detection (incident_id, detection_id) values ($1, $2)', [id(3), id(5)]);
    expect(await dropOldIncidents(now)).toBe(1);
    expect(await dropOldDetections(now)).toBe(1);
    const idsOf = async (table: string, column = 'id') =>
      (await getPool().query(`select ${column} as id from ${table} order by 1`)).rows.map((row) => row.id);
    expect(await idsOf('incident')).toEqual([id(2), id(3)]);
    expect(await idsOf('incident_event', 'incident_id')).toEqual([id(2), id(3)]);
    expect(await idsOf('detection')).toEqual([id(5), id(6)]);
  });
});
