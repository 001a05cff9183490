import type { ClosedSpike, Detection, GroupChange } from '#analysis/detection/detection.ts';
import type { Engine } from './detection.ts';
import type { Work } from './status.ts';
import type { Tick } from './tick.ts';

/** The process does other things too; after so many ms they get their turn. */
const TURN_MS = 8;

/** What a tick raises, which spikes it ends, and what became of groups. */
export type Raised = { found: Detection[]; closed: ClosedSpike[]; changes: GroupChange[] };

/** Goes through steps to what the last one returns. Other work of the process gets its turn in between. */
export async function inTurns<Result>(steps: Generator<unknown, Result>, turnMs = TURN_MS): Promise<Result> {
  let since = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - since < turnMs) continue;
    await new Promise(setImmediate);
    since = performance.now();
  }
}

/** Lets the detector consume a tick; `work` is told the CPU time. Other work of the process gets its turn in between. */
export async function consumeTick(
  { engine, work }: { engine: Engine; work: Work },
  tick: Tick,
  turnMs = TURN_MS,
): Promise<Raised> {
  const raised: Raised = { found: [], closed: [], changes: [] };
  let since = performance.now();
  let cpu = process.threadCpuUsage();
  const count = () => {
    const { user, system } = process.threadCpuUsage(cpu);
    work.cpuMs += (user + system) / 1_000;
  };
  for (const found of engine.consuming(tick)) {
    if (found !== null) {
      raised.found.push(...found);
      raised.closed.push(...engine.closed());
      raised.changes.push(...engine.changes());
    }
    if (performance.now() - since < turnMs) continue;
    count();
    await new Promise(setImmediate);
    since = performance.now();
    cpu = process.threadCpuUsage();
  }
  count();
  return raised;
}
