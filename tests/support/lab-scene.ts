import { afterAll, beforeAll } from 'vitest';
import { labProblem, openLab } from '#tests/lab/lab.ts';
import { type LabProber, startProber } from '#tests/lab/probing.ts';
import type { Lab } from '#tests/lab/types.ts';

/** Why this machine has no lab, and so the tests that need one are left out; null where it has. */
export const problem = await labProblem((text) => process.stderr.write(`${text}\n`));
if (problem) process.stderr.write(`The lab's tests are left out. ${problem}\n`);

/** A lab with a prober in it, there while the tests of a `describe` run. */
export function useLab(options: Parameters<typeof openLab>[0]): { lab: Lab; prober: LabProber } {
  const scene = {} as { lab: Lab; prober: LabProber };
  beforeAll(async () => {
    scene.lab = await openLab(options);
    scene.prober = await startProber(scene.lab);
  });
  afterAll(() => scene.lab?.close());
  return scene;
}
