import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Result } from '#contract/result.ts';
import type { ProbeEnvironment } from '#probe/environment.ts';
import { ProberClock } from '#workers/prober/prober-clock.ts';
import { ServerTime } from '#workers/prober/server-time.ts';
import { restampedLine, stampedLine, timedRun } from '#workers/prober/stamp.ts';

const HOUR_MS = 3_600_000;
const TRUTH = Date.parse('2026-03-04T12:00:00.000Z');

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'server-time-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(dataDir, { recursive: true });
});

const logger = { debug() {}, info() {}, warn() {}, error() {} };
/** A process whose wall clock is off by so much (ms), in a boot that began when the machine's uptime was 0. */
function processAt(offMs: number, boot = { id: 'boot-1', uptimeMs: () => HOUR_MS + performance.now() }) {
  const clock = new ProberClock({ aheadMs: null, timeMs: TRUTH + offMs });
  const changes: number[] = [];
  const time = new ServerTime({ dataDir, clock, logger, boot, onChange: (aheadMs) => void changes.push(aheadMs) });
  /** An answer that took so long; the server's clock is right in its middle. */
  const hear = (roundTripMs = 40, serverOffMs = 0) => {
    const sentAt = TRUTH + offMs;
    const serverTime = new Date(TRUTH + roundTripMs / 2 + serverOffMs).toISOString();
    time.learn({ sentAt, answeredAt: sentAt + roundTripMs, serverTime });
  };
  return { clock, time, changes, hear };
}

describe('the distance to the server’s clock', () => {
  it.each([2 * HOUR_MS, -40 * 24 * HOUR_MS, -10 * 60_000])('is found where it is %d ms', async (offMs) => {
    const { clock, time, hear } = processAt(offMs);
    hear();
    await time.learnt;
    expect(clock.aheadMs).toBe(offMs);
    expect(Math.abs(clock.serverNow() - TRUTH)).toBeLessThan(5_000);
  });

  it('is none within a second, and where the round trip is too long to tell', () => {
    const near = processAt(900);
    near.hear();
    expect(near.clock.aheadMs).toBe(0);
    const slow = processAt(4_000);
    slow.hear(9_000);
    expect(slow.clock.aheadMs).toBe(0);
    slow.hear(20);
    expect(slow.clock.aheadMs).toBe(4_000);
  });

  it('is taken from the shortest round trip, until one of the clocks is set', () => {
    const { clock, hear, changes } = processAt(60_000);
    hear(20);
    hear(3_000, 700); // a slow answer that comes late
    expect(clock.aheadMs).toBe(60_000);
    hear(30, 60_000); // the server's clock was set
    expect(clock.aheadMs).toBe(0);
    expect(changes).toEqual([60_000, 0]);
  });
});

describe('a result that was spooled before the server’s time was known', () => {
  const startedAt = '2026-03-04T14:00:00.000Z';
  const spooled = (epoch: string) =>
    JSON.stringify({ '@clock': epoch, id: 'x', startedAt, prober: { loopDelayMs: 0.1, inFlight: 1, clean: true } });
  const sent = (line: string, time: ServerTime) => JSON.parse(stampedLine(line, (epoch) => time.aheadOf(epoch)));

  it('is stamped with the server’s time and the correction', () => {
    const { clock, time, hear } = processAt(2 * HOUR_MS);
    hear();
    const result = sent(spooled(clock.epoch), time);
    expect(result).toMatchObject({ startedAt: '2026-03-04T12:00:00.000Z', prober: { clockOffsetMs: 2 * HOUR_MS } });
    expect(Object.keys(result)).not.toContain('@clock');
  });

  it('stays as it is under a clock that was right', () => {
    const { clock, time, hear } = processAt(300);
    hear();
    const { prober, ...result } = sent(spooled(clock.epoch), time);
    expect(result).toEqual({ id: 'x', startedAt });
    expect(prober).not.toHaveProperty('clockOffsetMs');
  });

  it('bears the same time however often it goes out, also after the clocks were set and the prober started anew', () => {
    const first = processAt(2 * HOUR_MS);
    const line = spooled(first.clock.epoch);
    first.hear();
    const before = sent(line, first.time);
    first.hear(10, 5 * 60_000);
    expect(first.clock.aheadMs).toBe(2 * HOUR_MS - 5 * 60_000);
    expect(sent(line, first.time)).toEqual(before);
    const second = processAt(0);
    second.hear();
    expect(sent(line, second.time)).toEqual(before);
  });

  it('is put right when the clock was set (NTP) and the prober started again before it heard the server', () => {
    const first = processAt(2 * HOUR_MS); // never hears the server
    const second = processAt(0); // the same boot, the wall clock set right meanwhile
    second.hear();
    expect(second.clock.aheadMs).toBe(0);
    const putRight = Date.parse(sent(spooled(first.clock.epoch), second.time).startedAt);
    expect(Math.abs(putRight - TRUTH)).toBeLessThan(5_000); // what this test takes between the two starts
  });

  it('of an earlier boot is taken to be off as the clock is now', () => {
    const first = processAt(2 * HOUR_MS, { id: 'boot-0', uptimeMs: () => 7 });
    const second = processAt(2 * HOUR_MS);
    second.hear();
    expect(sent(spooled(first.clock.epoch), second.time).startedAt).toBe('2026-03-04T12:00:00.000Z');
  });
});

it('a result whose clock was forgotten bears the same time however often it goes out', () => {
  const { time, hear } = processAt(2 * HOUR_MS);
  hear(40);
  const first = time.aheadOf('forgotten');
  hear(10, 20); // a better answer
  expect(time.aheadOf('another')).not.toBe(first);
  expect(time.aheadOf('forgotten')).toBe(first);
  const restarted = processAt(0);
  restarted.hear();
  expect(restarted.time.aheadOf('forgotten')).toBe(first);
});

describe('a certificate that was judged by a wrong clock', () => {
  const DAY_MS = 24 * HOUR_MS;
  const at = (ms: number) => new Date(TRUTH + ms).toISOString();
  const failed = (reason: string, notBefore: number, notAfter: number, offMs: number) => {
    const { clock } = processAt(offMs);
    clock.aheadMs = offMs;
    const failure = { phase: 'tls', reason, source: 'target', message: 'it is not valid' };
    const certificate = { notBefore: at(notBefore), notAfter: at(notAfter), names: ['a.example'] };
    const prober = { clean: true, inFlight: 1, loopDelayMs: 0 };
    const line = { id: 'x', failure, tls: { version: '1.3', certificate }, prober };
    const spooled = JSON.stringify({ '@clock': 'e', ...line, startedAt: at(offMs) });
    const sent = JSON.parse(stampedLine(spooled, () => offMs));
    // The same where the offset is known when it is measured.
    const { stamp } = timedRun({ clock: {} } as ProbeEnvironment, clock);
    expect(stamp({ ...line, startedAt: at(0) } as unknown as Result)).toEqual(sent);
    expect(sent.tls).toEqual(line.tls);
    return sent.failure;
  };

  it('is the fault of the prober where it is valid by the right time', () => {
    expect(failed('cert_not_yet_valid', -DAY_MS, DAY_MS, -40 * DAY_MS)).toEqual({
      phase: 'tls',
      reason: 'cert_not_yet_valid',
      source: 'prober',
      message: "judged by the prober's clock, which is 40 days behind: it is not valid",
    });
    const { message, source } = failed('cert_expired', -DAY_MS, HOUR_MS, 2 * HOUR_MS);
    expect([source, message]).toEqual(['prober', "judged by the prober's clock, which is 2 h ahead: it is not valid"]);
  });

  it.each([
    ['it has expired by both', 'cert_expired', -2 * DAY_MS, -DAY_MS, 2 * HOUR_MS],
    ['another one of the chain is at fault', 'cert_expired', -DAY_MS, 90 * DAY_MS, 2 * HOUR_MS],
    ['it fails for another reason', 'cert_untrusted', -DAY_MS, DAY_MS, -40 * DAY_MS],
  ])('is the fault of the target where %s', (_, reason, notBefore, notAfter, offMs) => {
    expect(failed(reason, notBefore, notAfter, offMs).source).toBe('target');
  });
});

it('a result of an older version that is rejected for its time is stamped anew, once, and only if this clock took it', () => {
  const { clock, hear } = processAt(2 * HOUR_MS);
  hear();
  const line = (startedAt: string) =>
    JSON.stringify({ startedAt, prober: { clean: true, inFlight: 1, loopDelayMs: 0 } });
  const anew = restampedLine(line('2026-03-04T13:30:00.000Z'), clock);
  expect(JSON.parse(anew ?? '')).toMatchObject({ startedAt: '2026-03-04T11:30:00.000Z' });
  expect(restampedLine(anew ?? '', clock)).toBeNull();
  expect(restampedLine(line('2026-03-05T00:00:00.000Z'), clock)).toBeNull();
});

it('the clock runs on without steps when the machine’s clock is set', () => {
  const clock = new ProberClock();
  const before = clock.now();
  vi.spyOn(Date, 'now').mockReturnValue(0);
  expect(clock.now()).toBeGreaterThanOrEqual(before);
  expect(clock.now() - before).toBeLessThan(5_000);
  const elsewhere = new ProberClock(clock.state());
  expect(Math.abs(elsewhere.now() - clock.now())).toBeLessThan(5);
});
