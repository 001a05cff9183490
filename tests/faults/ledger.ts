import type { World } from './world.ts';

/** What a prober has in memory when it is killed: a probe under way, and at most a second that is not on disk yet. */
const LOST_WITH_A_KILL_MS = 2_000;
/** From the start of a probe to its answer at the origin, on a busy machine. */
const PROBE_TAKES_MS = 5_000;
const NAMED = 5;

/** The ledger of the origin held against what is stored. */
export type LedgerCheck = {
  served: number;
  stored: number;
  /** Served, not stored, and no kill of the prober within two seconds to excuse it. */
  lost: string[];
  /** Not stored because the prober was killed before it was on disk. */
  killed: number;
  /** Stored, and nothing of the kind was served. */
  doubled: string[];
  /** Stored at another time than they were taken at, by more than a probe takes. */
  misdated: string[];
};

/**
 * Compares every request that was served before `until` (ms since 1970) with the results of the database. A connection is
 * known by its target and its port; a port that comes up again is another connection, and told apart by its time.
 */
export async function compareLedger(world: World, until: number): Promise<LedgerCheck> {
  const stored = await storedTimes(world);
  const check: LedgerCheck = { served: 0, stored: 0, lost: [], killed: 0, doubled: [], misdated: [] };
  for (const times of stored.values()) check.stored += times.length;
  const killsOf = new Map([...world.targets.values()].map(({ path, prober }) => [path, prober.kills]));
  for (const { path, port, at } of world.origin.served) {
    const times = stored.get(`${path} ${port}`) ?? [];
    const index = nearest(times, at);
    const time = index === -1 ? undefined : times.splice(index, 1)[0]?.at;
    if (at > until) continue;
    check.served += 1;
    const name = `${path} from port ${port} at ${new Date(at).toISOString()}`;
    if (time === undefined) {
      if (killsOf.get(path)?.some((kill) => kill >= at - 100 && kill <= at + LOST_WITH_A_KILL_MS)) check.killed += 1;
      else check.lost.push(name);
    } else if (at - time < -PROBE_TAKES_MS / 5 || at - time > PROBE_TAKES_MS) {
      check.misdated.push(`${name}: ${Math.round(at - time)} ms`);
    }
  }
  for (const [key, times] of stored)
    for (const { at, ok } of times) if (ok) check.doubled.push(`${key} at ${new Date(at).toISOString()}`);
  return check;
}

/** Index of the result that was taken nearest to `at`; -1 where there is none. */
function nearest(stored: Stored[], at: number): number {
  const distances = stored.map((result) => Math.abs(result.at - at));
  return distances.indexOf(Math.min(...distances));
}

/** The first few of a list, for a sentence. */
export const some = (names: string[]) =>
  names.length === 0 ? '' : `: ${names.slice(0, NAMED).join('; ')}${names.length > NAMED ? ' ...' : ''}`;

/** A result that is stored: when it was taken, ms since 1970. One that failed need not have been served. */
type Stored = { at: number; ok: boolean };

/** The stored results by target and port. */
async function storedTimes(world: World): Promise<Map<string, Stored[]>> {
  const rows = await world.query<{ target: string; port: number } & Stored>(
    `select target_id as target, local_port as port, (extract(epoch from started_at) * 1000)::float8 as at, ok
      from result where local_port is not null and target_id = any($1)`,
    [[...world.targets.keys()]],
  );
  const times = new Map<string, Stored[]>();
  for (const { target, port, at, ok } of rows) {
    const key = `${world.targets.get(target)?.path} ${port}`;
    times.set(key, [...(times.get(key) ?? []), { at, ok }]);
  }
  return times;
}
