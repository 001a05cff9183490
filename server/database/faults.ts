// What an error of Node, PostgreSQL's driver or Prisma says about the database.

// Node's socket errors, PostgreSQL's «shutting down», «crashed» and «starting up», and Prisma's names for the same.
const AWAY = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'ENOENT',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  'P1001',
  'P1002',
  'P1017',
  'P2028',
]);
// PostgreSQL's «canceled» (by statement_timeout), «lock not available» and «idle in transaction», and our own end of waiting.
const TOO_SLOW = new Set(['57014', '55P03', '25P03', 'ETIMEDOUT', 'P1008']);

/** There was no answer in time, as the system says it of a connection. */
class TooLateError extends Error {
  override readonly name = 'TooLateError';
  readonly code = 'ETIMEDOUT';
}

/** What `work` gives; throws what `isTooSlow` after `ms`, while the work goes on. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const patience = Promise.withResolvers<never>();
  const timer = setTimeout(() => patience.reject(new TooLateError(`nothing within ${ms / 1_000} s`)), ms);
  return Promise.race([work, patience.promise]).finally(() => clearTimeout(timer));
}

/** Another transaction holds a lock for longer than this one may wait for it. */
export const isLockHeld = (error: unknown) => faultsOf(error).some(({ codes }) => codes.includes('55P03'));

/** The database took longer than this process waits for it. */
export const isTooSlow = (error: unknown) =>
  faultsOf(error).some(({ codes }) => codes.some((code) => TOO_SLOW.has(code)));

const CONNECTING_TOO_LONG = /timeout exceeded when trying to connect/i;

/** No connection came in time, of the pool or a new one: nothing refused it. */
export const isSlowToConnect = (error: unknown) =>
  faultsOf(error).some(({ message }) => CONNECTING_TOO_LONG.test(message));

/** The database cannot be reached, or is starting, stopping or full of connections. */
export function isDatabaseAway(error: unknown): boolean {
  return faultsOf(error).some(
    ({ codes, message }) =>
      codes.some((code) => AWAY.has(code)) ||
      CONNECTING_TOO_LONG.test(message) ||
      /connection terminated/i.test(message),
  );
}

/**
 * PostgreSQL's class 53 (out of disk, memory, connections), class 58 (input and output fail), and «read-only transaction»,
 * which is a standby or a server in need.
 */
const CANNOT_WRITE = /^(53\w{3}|58\w{3}|25006)$/;

/** The database answers, and cannot store anything. */
export function cannotWrite(error: unknown): boolean {
  return faultsOf(error).some(
    ({ codes, message }) =>
      codes.some((code) => CANNOT_WRITE.test(code)) || /could not extend file|no space left on device/i.test(message),
  );
}

/** The codes and messages of an error and of all that it says was behind it; Prisma keeps PostgreSQL's under its own names. */
function faultsOf(error: unknown): { codes: string[]; message: string }[] {
  const faults: { codes: string[]; message: string }[] = [];
  const seen = new Set<unknown>();
  const waiting = [error];
  while (waiting.length > 0) {
    const at = waiting.pop();
    if (typeof at !== 'object' || at === null || seen.has(at)) continue;
    seen.add(at);
    const { code, originalCode, message, cause, meta, driverAdapterError } = at as Record<string, unknown>;
    const codes = [code, originalCode].filter((each) => typeof each === 'string');
    faults.push({ codes, message: typeof message === 'string' ? message : '' });
    waiting.push(cause, meta, driverAdapterError);
  }
  return faults;
}
