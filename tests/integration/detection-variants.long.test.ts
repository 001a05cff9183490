import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getPool } from '#server/database/database.ts';
import { listIncidents } from '#server/incidents/incidents.ts';
import { createDetectionJob } from '#server/pipeline/pipeline.ts';
import { GRACE_SECONDS } from '#server/vantages/delivered.ts';
import { getVantage } from '#server/vantages/vantages.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { type Check, chance, writeHistory } from '../support/history.ts';
import { FRIDAY } from '../support/instants.ts';
import { insertTarget } from '../support/places.ts';
import { makeVantage } from '../support/vantages.ts';

const HOUR = 3_600;
/** Seconds since 1970. */
const END = FRIDAY / 1_000;
const vantages = ['CN-BJ', 'CN-GD', 'CN-HB', 'CN-SH', 'CN-GS'].map((region) => makeVantage(region, 'telecom'));

let database: TestDatabase;
let checks: Check[];
beforeEach(async () => {
  database = await testDatabase(vantages);
  const targetId = await insertTarget();
  checks = vantages.map((vantage) => ({ targetId, vantage }));
});
afterEach(() => database.drop());

const random = chance(3);
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const noisy = (ms: number) => ms * Math.exp(0.04 * normal());

/** Consumes all there is at `now`, seconds since 1970. */
async function consume(now: number): Promise<void> {
  const job = createDetectionJob();
  while (await job.step((now + GRACE_SECONDS) * 1_000)) {
    // Each turn takes a stretch.
  }
  await job.close();
}

describe('resumed handshakes', () => {
  const lostAt = END - HOUR;
  const foundAgain = END - HOUR / 2;

  /** Two hours of probes in 30 s; for half an hour no session is known any more. */
  async function writeLoss(): Promise<void> {
    const range = { from: END - 2 * HOUR, to: END + HOUR, period: 30 };
    await writeHistory(checks, range, () => ({ rtt: noisy(40), tls: noisy(85) }));
    await writeHistory(checks, range, (_check, at) => {
      const refused = at >= lostAt && at < foundAgain;
      return { rtt: noisy(40), tls: noisy(refused ? 85 : 45), refused };
    });
  }

  it('that are refused are one incident of the handshake within three minutes, which says the share, and ends', async () => {
    await writeLoss();
    await consume(lostAt + 180 - GRACE_SECONDS);
    const open = await listIncidents({ limit: 10 });
    expect(open.data).toMatchObject([
      { kind: 'spike', status: 'open', metric: 'refused', cause: 'tls', subCause: 'resumption', carrier: 'telecom' },
    ]);
    const [incident] = open.data;
    expect(incident?.affected).toMatchObject({ series: 5, before: 0, after: 1 });
    expect(new Set(incident?.cells.map(({ variant }) => variant))).toEqual(new Set(['resumed']));
    const onset = Date.parse(incident?.onsetAt ?? '') / 1_000;
    expect(Math.abs(onset - lostAt)).toBeLessThanOrEqual(60);
    await consume(END + HOUR);
    const after = await listIncidents({ limit: 10 });
    expect(after.data).toMatchObject([{ id: incident?.id, status: 'resolved', resolution: 'recovered' }]);
    for (const { recoveredAt } of after.data[0]?.cells.filter(({ metric }) => metric === 'refused') ?? [])
      expect(Math.abs(Date.parse(recoveredAt ?? '') / 1_000 - foundAgain)).toBeLessThanOrEqual(60);
    const { rows } = await getPool().query('select distinct variant, metric from detection order by metric');
    expect(rows).toEqual([
      { variant: 1, metric: 'refused' },
      { variant: 1, metric: 'tls' },
    ]);
  });
});

describe('a busy prober', () => {
  it('is told of at its vantage, raises nothing, and hides no change that others see', async () => {
    const busyAt = END - HOUR;
    const [busy, ...others] = checks;
    if (!busy) throw new Error('no check');
    const other = await insertTarget({ name: 'mail' });
    const ofOther = checks.map((check) => ({ ...check, targetId: other }));
    const range = { from: END - 3 * HOUR, to: END + HOUR / 2, period: 30 };
    const isBusy = (check: Check, at: number) =>
      check.vantage.id === busy.vantage.id && at >= busyAt && at < busyAt + 300;
    const measure = (slower: number) => (check: Check, at: number) => {
      const delayed = isBusy(check, at);
      const ownDelay = delayed ? 10 + 50 * random() : 0.2 * random();
      const more = at >= busyAt + 60 && at < busyAt + 1_800 ? slower : 0;
      // Of five four are too late to count: what is left says more of the prober than of the target as well.
      return { rtt: noisy(40), tls: noisy(85) + more + ownDelay, ownDelay, clean: !delayed || random() < 0.2 };
    };
    await writeHistory(checks, range, measure(0));
    await writeHistory(ofOther, range, measure(70));
    await consume(busyAt + 290);
    const during = await getVantage(busy.vantage.id);
    expect(during.busy).toMatchObject({ until: null });
    expect(Math.abs(Date.parse(during.busy?.since ?? '') / 1_000 - busyAt)).toBeLessThanOrEqual(60);
    const raised = await listIncidents({ limit: 10 });
    expect(raised.data).toMatchObject([{ kind: 'spike', targetId: other, metric: 'tls' }]);
    expect(raised.data[0]?.cells.map(({ vantageId }) => vantageId).sort()).toEqual(
      others.map(({ vantage }) => vantage.id).sort(),
    );
    await consume(END + HOUR / 2);
    expect((await listIncidents({ limit: 10 })).data.map(({ targetId }) => targetId)).toEqual([other]);
    const { rows } = await getPool().query('select busy_since, busy_until from vantage where busy_since is not null');
    expect(rows).toHaveLength(1);
    expect(Math.abs(rows[0].busy_until.getTime() / 1_000 - (busyAt + 300))).toBeLessThanOrEqual(90);
  });
});
