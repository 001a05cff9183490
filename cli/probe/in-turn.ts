import { once } from 'node:events';
import type { Result } from '#contract/result.ts';
import { type ExitStatus, MetConditions, metBy } from './conditions.ts';
import { endProcess } from './end.ts';
import { fitInto } from './layout.ts';
import { harmlessJson } from './paint.ts';
import type { Plan } from './plan.ts';

/** One of several addresses: its Results in the order in which they were taken, those of one sequence together. */
export type Probed = { plan: Plan; results: Result[][] };

/** What people read: a text after each sequence, and one after all, also where the run is interrupted. */
export type TurnsReport = { after(probed: Probed): string; conclusion(): string };

/**
 * Probes several addresses in turn, one at a time: no probe takes time from another, and what the network does meets all of
 * them. Prints Results as lines of JSON, or the report.
 */
export async function probeInTurn(all: readonly Probed[], report: TurnsReport, json: boolean): Promise<ExitStatus> {
  const { stdout } = process;
  fitInto(stdout);
  const met = new MetConditions();
  let failures = 0;
  const conclude = () => {
    if (!json) stdout.write(report.conclusion());
    met.print(json);
  };
  process.once('SIGINT', () => {
    conclude();
    void endProcess(130);
  });
  const [first] = all;
  if (!first) throw new Error('there is no address to probe');
  const { readyFor, runPlan } = await import('./run.ts');
  const environment = await readyFor(first.plan);
  for (let turn = 0; turn < first.plan.count; turn += 1) {
    for (const probed of all) {
      const taken: Result[] = [];
      const sink = { open: true, onOpen: () => {}, take: (more: Result[]) => taken.push(...more) };
      await runPlan({ ...probed.plan, count: 1 }, environment, sink);
      probed.results.push(taken);
      failures += taken.filter(({ ok }) => !ok).length;
      met.add(taken.flatMap((result) => metBy(result, probed.plan.failIf)));
      const text = json ? taken.map((result) => `${harmlessJson(result)}\n`).join('') : report.after(probed);
      if (text !== '' && !stdout.write(text)) await once(stdout, 'drain');
    }
  }
  conclude();
  return met.exitStatus(failures);
}
