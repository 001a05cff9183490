import path from 'node:path';
import { Result } from '#contract/result.ts';
import type { ProbeSettings } from '#contract/target.ts';
import { Part } from './commands.ts';
import type { Lab } from './types.ts';

export type ProbeOrder = { url: string; settings: Partial<ProbeSettings> };

/** Our engine in the prober's namespace, warm; one probe at a time. It ends with the lab, or before by `end`. */
export type LabProber = {
  /** The Result of the main probe. */
  probe(order: ProbeOrder): Promise<Result>;
  /** The Results of all probes that the settings ask for, the main one first. */
  sequence(order: ProbeOrder): Promise<Result[]>;
  end(): Promise<void>;
};

export async function startProber(lab: Pick<Lab, 'inProber'>): Promise<LabProber> {
  const script = path.join(import.meta.dirname, 'prober.ts');
  const part = new Part('the prober', [...lab.inProber, process.execPath, script]);
  await part.line();
  const sequence = async (order: ProbeOrder) => Result.array().parse(JSON.parse(await part.ask(order)));
  return {
    sequence,
    probe: async (order) => {
      const [main] = await sequence(order);
      if (!main) throw new Error('the prober gave no Result');
      return main;
    },
    end: async () => {
      part.end();
      await part.exited();
    },
  };
}
