import { type Pair, pairUp, rateOf } from './truth-errors.ts';
import { isStopped } from './truth-process.ts';
import type { Load, Run, Tool, TruthLab } from './truth-types.ts';

/** How one tool fared under a load, against the capture. */
export type Raced = { run: Run; pairs: Pair[]; perSecond: number };

/** A tool and how it fared, or the sentence why it could not. */
export type Entry = { tool: Tool; raced: Raced | string };

/** All tools in turn under the same load, each with a capture of its own. */
export async function race(lab: TruthLab, tools: Tool[], load: Load): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const tool of tools) entries.push({ tool, raced: await raceOne(lab, tool, load) });
  return entries;
}

async function raceOne(lab: TruthLab, tool: Tool, load: Load): Promise<Entry['raced']> {
  const capture = await lab.capture();
  const run = await attempt(lab, tool, load);
  const seen = await capture.stop();
  return typeof run === 'string' ? run : { run, pairs: pairUp(run.told, seen), perSecond: rateOf(seen) };
}

/** One tool that breaks must not cost the figures of the others, unless the whole bench was stopped. */
async function attempt(lab: TruthLab, tool: Tool, load: Load): Promise<Run | string> {
  try {
    return await tool.run(lab, load);
  } catch (error) {
    if (isStopped()) throw error;
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return `it broke: ${reason}`;
  }
}

/** A tool's CPU time a probe in milliseconds, or the sentence why it could not. */
export type CpuEntry = { tool: Tool; cost: { userMs: number; systemMs: number } | string };

/** After so many probes the code that all tools run again and again is compiled, where it ever is. */
const FEW = 1_000;

/** A probe's CPU time over many probes, without what a run of fewer costs: starting and warming up is not probing. */
export async function cpuRace(lab: TruthLab, tools: Tool[], load: Load): Promise<CpuEntry[]> {
  const entries: CpuEntry[] = [];
  for (const tool of tools) entries.push({ tool, cost: await costOf(lab, tool, load) });
  return entries;
}

/** What one probe costs a tool under a load of many. */
export async function costOf(lab: TruthLab, tool: Tool, load: Load): Promise<CpuEntry['cost']> {
  const few = await attempt(lab, tool, { ...load, count: FEW });
  if (typeof few === 'string') return few;
  const many = await attempt(lab, tool, { ...load, count: load.count + FEW });
  if (typeof many === 'string') return many;
  if (many.failed > 0) return `${many.failed} of ${load.count + FEW} probes failed`;
  const perProbe = (name: 'userMs' | 'systemMs') => (many.cpu[name] - few.cpu[name]) / load.count;
  return { userMs: perProbe('userMs'), systemMs: perProbe('systemMs') };
}
