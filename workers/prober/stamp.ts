import { z } from 'zod';
import { Certificate } from '#contract/certificate.ts';
import { Failure, Result } from '#contract/result.ts';
import type { ProbeEnvironment } from '#probe/environment.ts';
import type { ProberClock } from './prober-clock.ts';

/** A Result as it is spooled. `@clock` names the clock of a start that the server's time was not known for yet. */
export type SpooledResult = { '@clock'?: string } & Result;

/** Held to what is changed alone: a Result of another version keeps all else as it is. */
const Stamped = Result.pick({ startedAt: true }).loose().extend({ prober: Result.shape.prober.loose() });

/** What says whether a certificate was judged by a wrong clock. */
const JudgedByClock = z.looseObject({
  failure: Failure.loose().extend({ reason: z.enum(['cert_not_yet_valid', 'cert_expired']) }),
  tls: z.object({ certificate: Certificate.pick({ notBefore: true, notAfter: true }) }),
});

/**
 * The time of one run: probes in `environment` start at the server's time, where it is known, and `stamp` says on each of
 * their Results by how much the prober's clock was off.
 */
export function timedRun(environment: ProbeEnvironment, clock: ProberClock) {
  const { aheadMs, epoch } = clock; // for the whole run, whatever is learnt meanwhile
  const wallTime = () => new Date(clock.now() - (aheadMs ?? 0));
  const stamp = (result: Result): SpooledResult => {
    if (aheadMs === null) return { '@clock': epoch, ...result };
    if (aheadMs === 0) return result;
    return blamed({ ...result, prober: { ...result.prober, clockOffsetMs: aheadMs } }, aheadMs);
  };
  return { environment: { ...environment, clock: { ...environment.clock, wallTime } }, stamp };
}

const CLOCK_MARK = /^\{"@clock":"([\w-]{1,100})",/;

/** A spooled line with the server's time, by what is known of the clock that it names; without such a mark, as it is. */
export function stampedLine(line: string, aheadOf: (epoch: string) => number): string {
  const [mark, epoch] = CLOCK_MARK.exec(line) ?? [];
  if (mark === undefined || epoch === undefined) return line;
  return corrected(`{${line.slice(mark.length)}`, aheadOf(epoch));
}

/**
 * A line that the server rejected for its time, which then is stored nowhere, stamped again: null where it bears a
 * correction already, or cannot have been taken by the clock as it stands.
 */
export function restampedLine(line: string, clock: ProberClock): string | null {
  if (!clock.aheadMs || line.includes('"clockOffsetMs":')) return null;
  const { startedAt } = JSON.parse(line) as { startedAt?: unknown };
  return Date.parse(String(startedAt)) <= clock.now() ? corrected(line, clock.aheadMs) : null;
}

function corrected(line: string, aheadMs: number): string {
  if (aheadMs === 0) return line;
  const result = Stamped.safeParse(JSON.parse(line)).data;
  if (!result) return line; // for the server to refuse by name
  const startedAt = new Date(Date.parse(result.startedAt) - aheadMs).toISOString();
  const prober = { ...result.prober, clockOffsetMs: aheadMs };
  return JSON.stringify(blamed({ ...result, startedAt, prober }, aheadMs));
}

/**
 * OpenSSL judges certificates by the machine's clock. A leaf that is valid at the Result's (right) time, and was not by the
 * prober's clock, fails by the fault of the prober: no target is blamed for it, and no incident opened.
 */
function blamed<R extends { startedAt: string }>(result: R, aheadMs: number): R {
  const { failure, tls } = JudgedByClock.safeParse(result).data ?? {};
  if (!failure || !tls) return result;
  const notBefore = Date.parse(tls.certificate.notBefore ?? '');
  const notAfter = Date.parse(tls.certificate.notAfter ?? '');
  const isValidAt = (time: number) => notBefore <= time && time <= notAfter;
  const startedAt = Date.parse(result.startedAt);
  if (!isValidAt(startedAt) || isValidAt(startedAt + aheadMs)) return result;
  const message = `judged by the prober's clock, which is ${saidOffset(aheadMs)}: ${failure.message}`.slice(0, 1_000);
  return { ...result, failure: { ...failure, source: 'prober', message } };
}

/** A clock's error in words, as `2 h ahead` or `40 days behind`. */
function saidOffset(aheadMs: number): string {
  const hours = Math.abs(aheadMs) / 3_600_000;
  const size = hours >= 48 ? `${Math.round(hours / 24)} days` : `${Math.round(hours * 10) / 10} h`;
  return `${size} ${aheadMs > 0 ? 'ahead' : 'behind'}`;
}
