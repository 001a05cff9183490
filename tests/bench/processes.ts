import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { isCluster } from '#server/database/cluster.ts';
import { getPool } from '#server/database/database.ts';

/** Jiffies a second, as Linux counts a process's time wherever it runs. */
const HERTZ = 100;

type Process = { pid: number; parent: number; cpuSeconds: number };

/** CPU time (s) and memory (MB, proportional: what is shared counts by its part) of the processes below one, itself included. */
export type Use = { cpuSeconds: number; memoryMb: number };

export function usageOf(...roots: number[]): Use {
  const tree = roots.flatMap(treeOf);
  return { cpuSeconds: tree.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0), memoryMb: memoryOf(tree) };
}

/** The processes that all others of the PostgreSQL of `DATABASE_URL`, on this machine, are below: on a cluster one a node. */
export async function postmasterPids(): Promise<number[]> {
  return await onEachNode<number>(`select to_json(split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int)`);
}

/** What each node of `DATABASE_URL` answers to a statement that gives one value as JSON; of one machine it is one. */
export async function onEachNode<Value>(sql: string): Promise<Value[]> {
  const { rows } = await getPool().query<{ value: Value }>(
    (await isCluster())
      ? {
          text: `select result::json as value from run_command_on_all_nodes($1)`,
          values: [sql],
        }
      : `select (${sql}) as value`,
  );
  return rows.map(({ value }) => value);
}

const memoryOf = (tree: Process[]) => tree.reduce((sum, { pid }) => sum + proportionalMb(pid), 0);

/** A part of Roundtrip and its memory (MB, proportional), that of its own children included. */
export type Part = { name: string; memoryMb: number };

/** What each kind of process is called, by words of its command. */
const PARTS: [name: string, words: RegExp][] = [
  ['PostgreSQL', /bin\/postgres|^postgres:/],
  ['demo past', /demo-past/],
  ['demo', /demo/],
  ['prober', /prober/],
  ['jobs', /jobs/],
  ['web', /next-server|dist\/(web|server)/],
];

/** The parts below a supervisor, and the supervisor itself without them. */
export function partsOf(supervisor: number): Part[] {
  const parts = new Map<string, number>([['supervisor', proportionalMb(supervisor)]]);
  for (const { pid, parent } of treeOf(supervisor).filter(({ parent }) => parent === supervisor)) {
    const command = readIfThere(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ') ?? '';
    const name = PARTS.find(([, words]) => words.test(command))?.[0] ?? `process ${command.slice(0, 60)} of ${parent}`;
    parts.set(name, (parts.get(name) ?? 0) + memoryOf(treeOf(pid)));
  }
  return [...parts].map(([name, memoryMb]) => ({ name, memoryMb }));
}

function treeOf(root: number): Process[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => processOf(name));
  const found = all.filter(({ pid }) => pid === root);
  for (const each of found) found.push(...all.filter(({ parent }) => parent === each.pid));
  return found;
}

/** With the time of children that have ended. */
function processOf(pid: string): Process[] {
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === null) return [];
  // The name is in brackets and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const jiffies = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return [{ pid: Number(pid), parent: Number(fields[1]), cpuSeconds: jiffies / HERTZ }];
}

function proportionalMb(pid: number): number {
  const text = readIfThere(`/proc/${pid}/smaps_rollup`);
  const kilobytes = z.coerce.number().safeParse(/^Pss:\s+(\d+)/m.exec(text ?? '')?.[1]);
  return kilobytes.success ? kilobytes.data / 1_024 : 0;
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
