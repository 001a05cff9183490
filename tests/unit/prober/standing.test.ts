import { expect, it } from 'vitest';
import { ASK_AGAIN_MS, GIVE_UP_AFTER_MS, Standing } from '#workers/prober/standing.ts';

const HOUR_MS = 3_600_000;

function standingAt(start = 0) {
  const log: string[] = [];
  const say = (message: string) => void log.push(message);
  const clock = { now: start };
  const logger = { debug: say, info: say, warn: say, error: say };
  return { clock, log, standing: new Standing({ logger, now: () => clock.now }) };
}

/** Refuses every five minutes for so many hours; says after how many ms it was enough, or null. */
function refuseFor(hours: number, { clock, standing }: ReturnType<typeof standingAt>): number | null {
  const start = clock.now;
  for (; clock.now <= start + hours * HOUR_MS; clock.now += ASK_AGAIN_MS) {
    if (standing.refused('status 401')) return clock.now - start;
  }
  return null;
}

it('ends after 24 hours of nothing but refusals, and not before', () => {
  expect(refuseFor(48, standingAt(7))).toBe(GIVE_UP_AFTER_MS);
  expect(GIVE_UP_AFTER_MS).toBe(24 * HOUR_MS);
});

it('begins anew once the credential was taken in between', () => {
  const at = standingAt();
  expect(refuseFor(23.9, at)).toBeNull();
  at.standing.accepted();
  expect(at.standing.isRefused).toBe(false);
  expect(refuseFor(23.9, at)).toBeNull();
});

it('begins anew where the server was away in between: two refusals a day apart are not a day of refusals', () => {
  const at = standingAt();
  expect(at.standing.refused('status 401')).toBe(false);
  at.clock.now += 30 * HOUR_MS;
  expect(at.standing.refused('status 401')).toBe(false);
  expect(refuseFor(23.9, at)).toBeNull();
});

it('says once what is wrong and what to do, and once that it is over', () => {
  const at = standingAt();
  refuseFor(2, at);
  at.standing.accepted();
  expect(at.log).toEqual([
    expect.stringMatching(/does not know .* vantage may have been deleted.* every 300 s, ends after 24 hours/),
    expect.stringContaining('again'),
  ]);
});
