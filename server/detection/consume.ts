import type { ClosedSpike, Detection } from '#analysis/detection/detection.ts';
import type { Engine } from './detection.ts';
import type { Work } from './status.ts';
import type { Tick } from './tick.ts';

/** The process does other things too; after so many ms they get their turn. */
const TURN_MS = 20;

/** What a tick raises, and which spikes it ends. */
export type Raised = { found: Detection[]; closed: ClosedSpike[] };

/** Lets the detector consume a tick; `work` is told the CPU time. Other work of the process gets its turn in between. */
export async function consumeTick({ engine, work }: { engine: Engine; work: Work }, tick: Tick): Promise<Raised> {
  const raised: Raised = { found: [], closed: [] };
  let since = performance.now();
  let cpu = process.threadCpuUsage();
  const count = () => {
    const { user, system } = process.threadCpuUsage(cpu);
    work.cpuMs += (user + system) / 1_000;
  };
  for (const found of engine.consumeTick(tick)) {
    raised.found.push(...found);
    raised.closed.push(...engine.closed());
    if (performance.now() - since < TURN_MS) continue;
    count();
    await new Promise(setImmediate);
    since = performance.now();
    cpu = process.threadCpuUsage();
  }
  count();
  return raised;
}
