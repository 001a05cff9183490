import path from 'node:path';
import { Result } from '#contract/result.ts';
import type { ProbeSettings } from '#contract/target.ts';
import { Part } from './commands.ts';
import type { Lab } from './types.ts';

export type ProbeOrder = { url: string; settings: Partial<ProbeSettings> };

/** Our engine in the prober's namespace, warm; one probe at a time. It ends with the lab, or before by `end`. */
export type LabProber = { probe(order: ProbeOrder): Promise<Result>; end(): Promise<void> };

export async function startProber(lab: Pick<Lab, 'proberNamespace'>): Promise<LabProber> {
  const script = path.join(import.meta.dirname, 'prober.ts');
  const command = ['ip', 'netns', 'exec', lab.proberNamespace, process.execPath, script];
  const part = new Part('the prober', command);
  await part.line();
  return {
    probe: async (order) => Result.parse(JSON.parse(await part.ask(order))),
    end: async () => {
      part.end();
      await part.exited();
    },
  };
}
