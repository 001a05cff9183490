import { once } from 'node:events';
import type { Result } from '#contract/result.ts';
import { endProcess } from './end.ts';
import { paintFor, wantsColour } from './paint.ts';
import type { Plan } from './plan.ts';
import { type Batch, MOST_PRINTED } from './result-sink.ts';
import type { RunReport } from './run.ts';
import { lateLines, Summary } from './summary.ts';
import { runOnThreads } from './threads.ts';
import { waterfalls } from './waterfall.ts';
import type { WhatIf } from './what-if.ts';

/** How it is to be printed. */
export type Shown = { threads: number; json: boolean; whatIf?: WhatIf };

/** Runs a plan and prints what comes of it: Results as lines of JSON, or waterfalls and a summary. False where any failed. */
export async function runAndPrint(plan: Plan, options: Shown): Promise<boolean> {
  const { stdout } = process;
  // `roundtrip probe ... | head` closes our output: there is nobody left to print to.
  stdout.on('error', () => process.exit(1));
  const summary = new Summary();
  const textOf = options.json ? jsonOf : textForPeople(options);
  const begun = performance.now();
  const finish = (reports: RunReport[]) => {
    if (plan.count === 1 || options.json) return;
    stdout.write(`\n${summary.text(performance.now() - begun, reports)}`);
  };
  // Whoever stops a long run early still wants to know what came of it.
  process.once('SIGINT', () => {
    finish([]);
    void endProcess(130);
  });
  const reports = await runOnThreads(plan, options.threads, options.json, async (batch) => {
    for (const sample of batch.samples) summary.add(sample);
    const text = textOf(batch);
    if (text !== '' && !stdout.write(text)) await once(stdout, 'drain');
  });
  finish(reports);
  // Whoever reads the lines must know that the pace they asked for was not kept.
  if (options.json)
    process.stderr.write(
      lateLines(reports)
        .map((line) => `roundtrip:${line.slice(1)}\n`)
        .join(''),
    );
  return summary.failures === 0;
}

function jsonOf({ lines }: Batch): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** Waterfalls of the first sequences; after them of those in which a probe failed. */
function textForPeople({ whatIf }: Shown): (batch: Batch) => string {
  const paint = paintFor(wantsColour(process.stdout, process.env));
  let printed = 0;
  const textOf = (results: Result[]) => {
    if (printed >= MOST_PRINTED && results.every(({ ok }) => ok)) return '';
    printed += 1;
    return `${printed > 1 ? '\n' : ''}${waterfalls(results, paint, whatIf)}`;
  };
  return ({ shown }) => shown.map(textOf).join('');
}
