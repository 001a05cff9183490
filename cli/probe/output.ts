import { once } from 'node:events';
import type { Result } from '#contract/result.ts';
import type { ExitStatus } from './conditions.ts';
import { endProcess } from './end.ts';
import { fitInto } from './layout.ts';
import { paintFor, wantsColour } from './paint.ts';
import type { Plan } from './plan.ts';
import { type Batch, MOST_PRINTED } from './result-sink.ts';
import type { RunReport } from './run.ts';
import { lateLines, Summary } from './summary.ts';
import { runOnThreads } from './threads.ts';

/** How it is to be printed. */
export type Printed = { threads: number; json: boolean; explain: boolean };

/** Runs a plan and prints what comes of it: Results as lines of JSON, or waterfalls and a summary. */
export async function runAndPrint(plan: Plan, options: Printed): Promise<ExitStatus> {
  const { stdout } = process;
  const summary = new Summary();
  const report = options.json ? null : await reportFor(plan, options);
  const begun = performance.now();
  const finish = (reports: RunReport[]) => {
    if (plan.count > 1 && report) {
      const lines = [...summary.findings(options.explain), ...report.conclusion()];
      stdout.write(`\n${summary.text(performance.now() - begun, reports)}${lines.map((line) => `${line}\n`).join('')}`);
    }
    summary.met.print(options.json);
  };
  // A run that is stopped early still prints its summary.
  process.once('SIGINT', () => {
    finish([]);
    void endProcess(130);
  });
  const reports = await runOnThreads(plan, options.threads, options.json, async (batch) => {
    for (const sample of batch.samples) summary.add(sample);
    const text = report ? batch.shown.map((results) => report.textOf(results)).join('') : jsonOf(batch);
    if (text !== '' && !stdout.write(text)) await once(stdout, 'drain');
  });
  finish(reports);
  // The reader of the lines must know that the requested pace was not kept.
  if (options.json)
    process.stderr.write(
      lateLines(reports)
        .map((line) => `roundtrip:${line.slice(1)}\n`)
        .join(''),
    );
  return summary.met.exitStatus(summary.failures);
}

function jsonOf({ lines }: Batch): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** What people read: a text for each sequence of Results, and after many of them what they say together. */
type Report = { textOf(results: Result[]): string; conclusion(): string[] };

/** Waterfalls of the first sequences; after them of those in which a probe failed. The first ones are judged together. */
async function reportFor({ count, settings, whatIf }: Plan, { explain }: Printed): Promise<Report> {
  // Texts and advice take some megabytes, which a load of probes that prints JSON does without.
  const [{ waterfalls }, { fixLines, judgementOf, verdictLines }, { whatIfLines }] = await Promise.all([
    import('./waterfall.ts'),
    import('./verdict.ts'),
    import('./what-if.ts'),
  ]);
  fitInto(process.stdout);
  const paint = paintFor(wantsColour(process.stdout, process.env));
  const judged: Result[][] = [];
  let printed = 0;
  return {
    textOf(results) {
      if (printed >= MOST_PRINTED && results.every(({ ok }) => ok)) return '';
      if (printed < MOST_PRINTED) judged.push(results);
      printed += 1;
      const shown = {
        settings,
        explain: explain && count === 1,
        fixes: count === 1,
        whatIf: count === 1 && whatIf ? whatIf : null,
      };
      return `${printed > 1 ? '\n' : ''}${waterfalls(results, paint, shown)}`;
    },
    conclusion() {
      const judgement = judgementOf(judged, settings);
      return [
        ...verdictLines(judgement, paint),
        ...fixLines(judgement, explain, paint),
        ...(whatIf ? whatIfLines(judged, whatIf, paint) : []),
      ];
    },
  };
}
