import { execFileSync } from 'node:child_process';
import { cpus, release } from 'node:os';
import { labProblem } from '#tests/lab/lab.ts';
import { findBlackbox } from './peers/blackbox.ts';
import { findCloudprober } from './peers/cloudprober.ts';
import { findCurl } from './peers/curl.ts';
import { plainNode } from './peers/plain-node.ts';
import { roundtrip } from './peers/roundtrip.ts';
import { putInDocs } from './truth-docs.ts';
import { openTruthLab } from './truth-lab.ts';
import { endAll, isStopped, OTHER_CORE } from './truth-process.ts';
import type { Raced } from './truth-race.ts';
import { MODES, type Mode, STEPS, type Step } from './truth-steps.ts';
import { ownTable } from './truth-tables.ts';
import type { Tool, TruthLab } from './truth-types.ts';

const WRITE = '--write';

const LEGEND = [
  "Signed errors in ms: the tool's figure minus the capture's, at p50 / p95 / p99 of their absolute value. Connect: SYN to SYN-ACK.",
  'TLS on the wire: ClientHello to the last bytes that the handshake needed. TLS phase: SYN-ACK to the same; for Roundtrip, which',
  'excludes its own wait before the ClientHello, from the ClientHello. Other tools have one figure for both. First byte: request to',
  "the first packet of the response, by each tool's own start and end. A queue is cloudprober's list of targets, which its scheduler",
  'spreads over a second.',
].join('\n');

/**
 * Prints how far Roundtrip and its peers are from what the packets say, as Markdown. `args` name the modes, all where
 * there are none; with `--write` the outcome also becomes the section "Truth" of docs/benchmarks.md.
 */
export async function benchTruth(args: string[] = []): Promise<void> {
  const wanted = args.filter((arg) => arg !== WRITE);
  const unknown = wanted.find((mode) => !MODES.some((known) => known === mode));
  if (unknown !== undefined)
    return complain(`There is no mode ${unknown}: give some of ${MODES.join(', ')}, or none for all.`);
  const problem = await whyNot();
  if (problem !== null) return void console.log(problem);
  const { tools, absent } = await findTools();
  execFileSync('taskset', ['-a', '-c', '-p', String(OTHER_CORE), String(process.pid)], { stdio: 'ignore' });
  const parts = [headOf(args, tools, absent)];
  console.log(parts[0]);
  const say = (part: string) => {
    parts.push(part);
    console.log(`\n${part}`);
  };
  await measureAll(
    STEPS.filter(({ mode }) => wanted.length === 0 || wanted.includes(mode satisfies Mode)),
    tools,
    say,
  );
  if (args.includes(WRITE)) putInDocs(parts.join('\n\n'));
}

function complain(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 2;
}

/** Why the bench cannot run here, or null. */
async function whyNot(): Promise<string | null> {
  if (process.platform !== 'linux') return 'The truth bench is left out: it needs Linux with network namespaces.';
  if (cpus().length <= OTHER_CORE) return 'The truth bench is left out: it needs two cores, one for the prober alone.';
  const problem = await labProblem(console.error);
  return problem === null ? null : `The truth bench is left out: ${problem}`;
}

/** Roundtrip last, plain Node before it; the sentences of those that cannot be had. */
async function findTools(): Promise<{ tools: Tool[]; absent: string[] }> {
  const found = [findCurl(), await findBlackbox(), await findCloudprober(), plainNode, roundtrip];
  return {
    tools: found.filter((tool) => typeof tool !== 'string'),
    absent: found.filter((tool) => typeof tool === 'string'),
  };
}

function headOf(args: string[], tools: Tool[], absent: string[]): string {
  const versions = tools.map(({ name, version }) => `${name} ${version}`).join(', ');
  const processor = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`;
  const date = new Date().toISOString().slice(0, 10);
  const command = ['npm run bench -- truth', ...args.filter((arg) => arg !== WRITE)].join(' ');
  const machine = `Linux ${release()}, ${processor}; the prober alone on one core.`;
  const measured = `\`${command}\`, ${date}: ${versions}; ${machine}`;
  return [measured, ...absent.map((sentence) => `${sentence}.`), '', LEGEND].join('\n');
}

/** Steps that share a line share a lab. */
async function measureAll(steps: Step[], tools: Tool[], say: (part: string) => void): Promise<void> {
  const ours: { load: string; raced: Raced }[] = [];
  for (const rttMs of new Set(steps.map((step) => step.rttMs))) {
    await inLab(rttMs, async (lab) => {
      for (const step of steps.filter((each) => each.rttMs === rttMs)) {
        const part = await step.measure(lab, tools, (raced) => ours.push({ load: step.title, raced }));
        say(`### ${step.title}\n\n${part}`);
      }
    });
  }
  if (ours.length > 0) say(`### What Roundtrip alone says\n\n${ownTable(ours)}`);
}

/** Opens a lab for `measure` and leaves nothing behind, also where somebody stops the bench: the process then ends. */
async function inLab(rttMs: number, measure: (lab: TruthLab) => Promise<void>): Promise<void> {
  const lab = await openTruthLab(rttMs);
  const stop = () => {
    endAll();
    // What is being measured fails without its lab.
    void lab.close();
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    await measure(lab);
  } catch (error) {
    if (!isStopped()) throw error;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    await lab.close();
  }
  if (isStopped()) process.exit(130);
}
