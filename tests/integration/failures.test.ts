import { beforeEach, describe, expect, it } from 'vitest';
import type { FailureSum } from '#contract/failure.ts';
import { getPool } from '#server/database/database.ts';
import { queryFailures } from '#server/figures/failures.ts';
import { listTargetSummaries } from '#server/figures/target-summaries.ts';
import { spansOf } from '../support/failure-spans.ts';
import { fail, insertRolledUp, OFFLINE, REFUSED, type Why } from '../support/minutes.ts';
import { insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { makeVantage } from '../support/vantages.ts';

const MINUTE = 60_000;
/** A Wednesday, far from midnight in any zone's day of results. */
const NOON = Date.parse('2026-11-18T12:00:00.000Z');
const vantages = ['CN-BJ', 'CN-GD', 'CN-SH'].map((region) => makeVantage(region, 'unicom'));

let targetId: string;
prepareTestDatabase(vantages);
beforeEach(async () => {
  await getPool().query('update target set deleted_at = now()');
  targetId = await insertTarget();
});

const EXPIRED: Why = { phase: 'tls', reason: 'cert_expired', source: 'target' };
const NO_NAME: Why = { phase: 'dns', reason: 'dns_timeout', source: 'resolver' };

/** One result a minute and vantage over minutes of NOON; `why` says why one fails. */
async function measure(
  from: number,
  to: number,
  why: (minute: number, region: string) => Why | null,
  end = NOON,
): Promise<void> {
  const change: Parameters<typeof insertRolledUp>[0]['change'] = (result, { region }, index) => {
    const failure = why(from + index, region);
    if (failure) fail(result, failure);
  };
  await insertRolledUp({ targetId, vantages, from: end + from * MINUTE + 5_000, count: to - from, change });
}

const at = (minute: number) => new Date(NOON + minute * MINUTE).toISOString();
/** What failed in the hour before NOON. */
const lastHour = () => queryFailures(targetId, { from: at(-60), to: at(0) });
const rounded = (share: number) => Math.round(share * 1_000) / 1_000;
const short = ({ phase, reason, source, share, shareSince, since, places }: FailureSum) => ({
  kind: `${phase} ${reason} ${source}`,
  share: rounded(share),
  shareSince: shareSince === null ? null : rounded(shareSince),
  since,
  regions: places.map(({ region }) => region).sort(),
});

describe('why a target fails', () => {
  it('is summed up by phase, reason and source, with share, places and since when', async () => {
    await measure(-180, -20, () => null);
    await measure(-20, 0, (_, region) => (region === 'CN-SH' ? NO_NAME : EXPIRED));
    const { probes, availability, places, failures } = await lastHour();
    expect([probes, availability, places.length]).toEqual([180, 2 / 3, 3]);
    const since = new Date(NOON - 20 * MINUTE + 5_000).toISOString();
    expect(failures.map(short)).toEqual([
      { kind: 'tls cert_expired target', share: 0.222, shareSince: 0.667, since, regions: ['CN-BJ', 'CN-GD'] },
      { kind: 'dns dns_timeout resolver', share: 0.111, shareSince: 0.333, since, regions: ['CN-SH'] },
    ]);
  });

  it('began long before the range where it has failed ever since, and after the last success', async () => {
    await measure(-300, -240, (minute) => (minute % 2 === 0 ? EXPIRED : null));
    await measure(-240, 0, () => EXPIRED);
    const { availability, failures } = await lastHour();
    expect(availability).toBe(0);
    // Beyond an hour before the end the beginning is known to ten minutes.
    expect(failures.map(short)).toEqual([
      {
        kind: 'tls cert_expired target',
        share: 1,
        shareSince: 1,
        since: at(-240),
        regions: ['CN-BJ', 'CN-GD', 'CN-SH'],
      },
    ]);
  });

  it('is another reason since it became another', async () => {
    await measure(-180, -30, () => REFUSED);
    await measure(-30, 0, () => EXPIRED);
    const kinds = (await lastHour()).failures.map(short);
    expect(kinds.map(({ kind, since }) => [kind, since])).toEqual([
      ['tls cert_expired target', new Date(NOON - 30 * MINUTE + 5_000).toISOString()],
      ['tcp tcp_refused target', null],
    ]);
  });

  it('has stopped where the last failure is more than ten minutes back', async () => {
    await measure(-60, 0, (minute) => (minute < -30 ? REFUSED : null));
    expect((await lastHour()).failures.map(short)).toMatchObject([
      { kind: 'tcp tcp_refused target', share: 0.5, shareSince: null, since: null },
    ]);
  });

  it('tells what the prober itself got wrong apart, and availability does not count it', async () => {
    await measure(-60, 0, (minute, region) => (region === 'CN-BJ' && minute >= -30 ? OFFLINE : null));
    const { availability, failures } = await lastHour();
    expect(availability).toBe(1);
    expect(failures.map(short)).toMatchObject([
      { kind: 'tcp prober_offline prober', share: 0.167, shareSince: 0.333, regions: ['CN-BJ'] },
    ]);
  });

  it('is narrowed to places, and nothing is said of a target that does not fail', async () => {
    await measure(-60, 0, (_, region) => (region === 'CN-BJ' ? REFUSED : null));
    const range = { from: at(-60), to: at(0) };
    expect((await queryFailures(targetId, { ...range, region: ['CN-BJ'] })).failures).toMatchObject([{ share: 1 }]);
    expect((await queryFailures(targetId, { ...range, region: ['CN-GD'] })).failures).toEqual([]);
  });
});

describe('the overview', () => {
  it('says why targets failed in the last hour, and since when one has no results', async () => {
    const now = Math.floor(Date.now() / MINUTE) * MINUTE;
    await measure(-30, -10, () => REFUSED, now);
    await getPool().query(`update target set updated_at = now() - interval '1 day' where id = $1`, [targetId]);
    const [summary] = await listTargetSummaries();
    expect(summary?.failures).toMatchObject([{ phase: 'tcp', reason: 'tcp_refused', share: 1 }]);
    expect(summary?.places).toHaveLength(3);
    expect(summary?.staleSince).toBe(new Date(now - 11 * MINUTE + 5_000).toISOString());
    expect(summary?.staleSince).toBe(summary?.lastResultAt);
  });

  it('does not call a target stale that was just added, is paused, or has results', async () => {
    expect((await listTargetSummaries())[0]).toMatchObject({ staleSince: null, lastResultAt: null });
    await getPool().query(`update target set updated_at = now() - interval '1 day' where id = $1`, [targetId]);
    expect((await listTargetSummaries())[0]?.staleSince).not.toBeNull();
    await getPool().query(`update target set enabled = false where id = $1`, [targetId]);
    expect((await listTargetSummaries())[0]?.staleSince).toBeNull();
    await getPool().query(`update target set enabled = true where id = $1`, [targetId]);
    await measure(-3, 0, () => null, Math.floor(Date.now() / MINUTE) * MINUTE);
    expect((await listTargetSummaries())[0]?.staleSince).toBeNull();
  });
});

describe('the failures of a trend', () => {
  it('are stretches of steps with their share, the commonest reason and where', async () => {
    await measure(-60, -40, () => null);
    await measure(-40, -30, () => REFUSED);
    await measure(-30, -10, () => null);
    await measure(-10, 0, (minute, region) => (region === 'CN-GD' ? EXPIRED : minute === -1 ? OFFLINE : null));
    const { spans, total } = await spansOf(targetId, { from: at(-60), to: at(0) });
    expect(total).toBe(2);
    expect(spans.map(({ lasting }) => lasting)).toEqual([false, false]);
    expect(spans).toMatchObject([
      { from: at(-40), to: at(-30), share: 1, failure: REFUSED },
      { from: at(-10), to: at(0), failure: EXPIRED, places: [{ region: 'CN-GD', carrier: 'unicom' }] },
    ]);
    expect(spans[1]?.share).toBeCloseTo(10 / 28, 3);
  });

  it('last until now where nothing has succeeded since, though the newest minute has no result yet', async () => {
    await measure(-60, -20, (minute) => (minute < -50 ? REFUSED : null));
    await measure(-20, -2, () => EXPIRED);
    const { spans } = await spansOf(targetId, { from: at(-60), to: at(0) }, NOON);
    expect(spans.map(({ lasting }) => lasting)).toEqual([false, true]);
    // The same range, looked at the next day.
    const past = await spansOf(targetId, { from: at(-60), to: at(0) }, NOON + 1_440 * MINUTE);
    expect(past.spans.map(({ lasting }) => lasting)).toEqual([false, false]);
  });
});
