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
  doubled: string[];
  /** Stored at another time than they were taken at, by more than a probe takes. */
  misdated: string[];
};

type Stored = { path: string; port: number; at: number; n: number };

/** Compares every request that was served before `until` (ms since 1970) with the results of the database. */
export async function compareLedger(world: World, until: number): Promise<LedgerCheck> {
  const stored = await storedResults(world);
  const check: LedgerCheck = { served: 0, stored: 0, lost: [], killed: 0, doubled: [], misdated: [] };
  for (const { n } of stored.values()) check.stored += n;
  const killsOf = new Map([...world.targets.values()].map(({ path, prober }) => [path, prober.kills]));
  for (const { path, port, at } of world.origin.served) {
    if (at > until) continue;
    check.served += 1;
    const name = `${path} from port ${port} at ${new Date(at).toISOString()}`;
    const result = stored.get(`${path} ${port}`);
    if (!result) {
      if (killsOf.get(path)?.some((kill) => kill >= at - 100 && kill <= at + LOST_WITH_A_KILL_MS)) check.killed += 1;
      else check.lost.push(name);
    } else {
      if (result.n > 1) check.doubled.push(`${name}: ${result.n} times`);
      const early = at - result.at;
      if (early < -PROBE_TAKES_MS / 5 || early > PROBE_TAKES_MS)
        check.misdated.push(`${name}: ${Math.round(early)} ms`);
    }
  }
  return check;
}

/** The first few of a list, for a sentence. */
export const some = (names: string[]) =>
  names.length === 0 ? '' : `: ${names.slice(0, NAMED).join('; ')}${names.length > NAMED ? ' ...' : ''}`;

async function storedResults(world: World): Promise<Map<string, Stored>> {
  const rows = await world.query<{ target: string; port: number; at: number; n: number }>(
    `select target_id as target, local_port as port, count(*)::int as n,
        (extract(epoch from min(started_at)) * 1000)::float8 as at
      from result where local_port is not null and target_id = any($1) group by target_id, local_port`,
    [[...world.targets.keys()]],
  );
  return new Map(
    rows.map(({ target, ...row }) => {
      const path = world.targets.get(target)?.path ?? '';
      return [`${path} ${row.port}`, { path, ...row }];
    }),
  );
}
