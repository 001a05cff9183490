import { EventEmitter } from 'node:events';
import { getPool } from '#server/database/database.ts';
import { log } from '#server/environment/log.ts';
import { onceAProcess } from '#server/environment/once-a-process.ts';

// The waits of requests that are held open. They hold no connection to the database: all that wait for tasks share one short query,
// twice a second; what this process itself creates or stores wakes them at once.

/** How often the database is asked for tasks while a prober waits, ms, and after it failed. */
const LOOK_MS = 500;
const LOOK_AFTER_FAILURE_MS = 5_000;
/** How often a stream asks for answers that another process stored, ms. */
export const ANSWERS_MS = 1_000;

type Waiting = { vantageIds: ReadonlySet<string>; wake: () => void };

type State = { events: EventEmitter; waiting: Set<Waiting>; timer: NodeJS.Timeout | undefined; ended: boolean };

/** What a page's action creates wakes those that a route has waiting. */
const state = onceAProcess(
  'measurements',
  (): State => ({
    events: new EventEmitter().setMaxListeners(0),
    waiting: new Set(),
    timer: undefined,
    ended: false,
  }),
)();

/** Wakes those that wait for tasks: there are new ones, or some are taken back. */
export function announceTasks(): void {
  if (state.waiting.size > 0) lookAfter(0);
}

/** Wakes those that follow this measurement. */
export function announceAnswers(id: string): void {
  state.events.emit(id);
}

/** Ends all waits, now and from now on: the process stops. */
export function endWaits(): void {
  state.ended = true;
  clearTimeout(state.timer);
  for (const { wake } of state.waiting) wake();
  state.events.emit('end');
}

/** Whether the process stops: what is held is to be answered. */
export const waitsEnded = (): boolean => state.ended;

/** Resolves once one of these vantages has an open task, or after `ms`, or when the signal is aborted or the process stops. */
export async function untilTasks(vantageIds: readonly string[], ms: number, signal: AbortSignal): Promise<void> {
  if (state.ended) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const entry = { vantageIds: new Set(vantageIds), wake: resolve };
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => resolve(), { once: true });
  state.waiting.add(entry);
  if (state.timer === undefined) lookAfter(LOOK_MS);
  await promise;
  clearTimeout(timer);
  state.waiting.delete(entry);
}

/**
 * Resolves once an answer of this measurement was stored by this process, or after `ms`, or when the signal is aborted or the process
 * stops.
 */
export async function untilAnswers(id: string, ms: number, signal: AbortSignal): Promise<void> {
  if (state.ended || signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => resolve();
  const timer = setTimeout(done, ms);
  signal.addEventListener('abort', done, { once: true });
  for (const name of [id, 'end']) state.events.once(name, done);
  await promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', done);
  for (const name of [id, 'end']) state.events.off(name, done);
}

function lookAfter(ms: number): void {
  clearTimeout(state.timer);
  state.timer = setTimeout(() => void look(), ms);
}

async function look(): Promise<void> {
  let next = LOOK_MS;
  state.timer = undefined;
  try {
    const open = await readOpenVantages();
    for (const { vantageIds, wake } of state.waiting) if (open.some((id) => vantageIds.has(id))) wake();
  } catch (error) {
    log.debug({ err: error }, 'open measurements cannot be read');
    next = LOOK_AFTER_FAILURE_MS;
  }
  // One may be set already: tasks came meanwhile.
  if (state.timer === undefined && state.waiting.size > 0 && !state.ended) lookAfter(next);
}

/** A vantage `v` of a measurement `m` of which its prober is to be notified: a task to take, or one to give back. */
export const IS_DUE = `(m.cancelled_at is null and v.taken_at is null and not v.away
  or m.cancelled_at is not null and v.taken_at is not null and v.answered_at is null)`;

async function readOpenVantages(): Promise<string[]> {
  const { rows } = await getPool().query<{ id: string }>(
    `select distinct v.vantage_id as id from measurement m join measurement_vantage v on v.measurement_id = m.id
      where m.ends_at > $1 and ${IS_DUE}`,
    [new Date()],
  );
  return rows.map(({ id }) => id);
}
