import { appendFile, readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { type Facts, factsOf, type Milestones, whatIf } from '#analysis/what-if/what-if.ts';
import type { Result } from '#contract/result.ts';
import { labProblem, openLab } from '#tests/lab/lab.ts';
import { type LabProber, startProber } from '#tests/lab/probing.ts';
import type { Lab, Scenario } from '#tests/lab/types.ts';
import { type Pair, pairsAt, type State } from './what-if/pairs.ts';
import { type Other, startOthers } from './what-if/servers.ts';

const PROBES = 4;
const MOST_TRIES = 16;
const FIRST_OTHER_PORT = 8_431;
const DEFAULT_WINDOW = 10;
const EACH = ['handshake', 'firstUsable', 'firstBody', 'total'] as const;
type Milestone = (typeof EACH)[number];
/** What a prediction may be off by: the larger of so many ms and of this share of a round trip. */
const LEAST_MS: Record<Milestone, number> = { handshake: 3, firstUsable: 2, firstBody: 2, total: 3 };
const RTT_SHARE = 0.1;

/** A pair as it was measured: Results of both states, and what was predicted from those of the first. */
type Judged = { pair: Pair; rttMs: number; predicted: Milestones; measured: Milestones; before: Result; after: Result };

/**
 * Prints how far predictions are off from what the same server does once it is set so: real nginx, HAProxy, Apache, Node
 * and Go behind a delay line, the least disturbed of some probes each. `--rtt 28,60`, `--only chain`, `--part 2/5` for a
 * machine with little time, `--record FILE` (adds a JSON line a pair), `--from FILE` (prints what was recorded).
 */
export async function benchWhatIf(args: string[]): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ args, options: { rtt: text, only: text, part: text, record: text, from: text } });
  if (values.from) {
    report(recorded(await readFile(values.from, 'utf8')));
    return;
  }
  const problem = await labProblem((line) => process.stderr.write(`${line}\n`));
  if (problem) throw new Error(problem);
  const [part = 1, parts = 1] = (values.part ?? '1/1').split('/').map(Number);
  const judged: Judged[] = [];
  for (const rttMs of (values.rtt ?? '28,60').split(',').map(Number)) {
    const wanted = pairsAt(rttMs).filter(({ what }) => what.includes(values.only ?? ''));
    const share = wanted.filter((_, index) => Math.floor((index * parts) / wanted.length) === part - 1);
    judged.push(...(await judgedAt(rttMs, share)));
  }
  report(judged);
  if (values.record) await appendFile(values.record, judged.map((each) => `${JSON.stringify(each)}\n`).join(''));
}

/** Pairs that were recorded, predicted anew. */
function recorded(lines: string): Judged[] {
  return lines
    .trim()
    .split('\n')
    .flatMap((line) => {
      const { pair, rttMs, before, after }: Judged = JSON.parse(line);
      if (!isUndisturbed(before) || !isUndisturbed(after)) return [];
      return judge(
        pair,
        rttMs,
        new Map([
          [keyOf(pair.before), [before]],
          [keyOf(pair.after), [after]],
        ]),
      );
    });
}

async function judgedAt(rttMs: number, pairs: readonly Pair[]): Promise<Judged[]> {
  const states = new Map(pairs.flatMap(({ before, after }) => [before, after]).map((state) => [keyOf(state), state]));
  const names = new Map([...states.keys()].map((key, index) => [key, `state-${index}`]));
  const scenarios = [...states].map(([key, state]) => ({ ...scenarioOf(state), name: names.get(key) ?? '' }));
  const others: Other[] = [...states.values()]
    .filter(({ server = 'nginx' }) => server !== 'nginx')
    .map((state, index) => ({ state, port: FIRST_OTHER_PORT + index }));
  const lab = await openLab({ rttMs, scenarios });
  try {
    const missing = await startOthers(lab, others);
    for (const server of missing) process.stderr.write(`${server} is not installed: its pairs are left out.\n`);
    const prober = await startProber(lab);
    const portOf = (state: State) =>
      others.find((other) => other.state === state)?.port ?? lab.ports[names.get(keyOf(state)) ?? ''] ?? 0;
    const measured = new Map<string, Result[]>();
    for (const [key, state] of states) {
      if (missing.has(state.server ?? 'nginx')) continue;
      await lab.setInitcwnd(state.window ?? DEFAULT_WINDOW);
      await lab.setRtt(state.rttMs ?? rttMs);
      measured.set(key, await resultsOf(lab, prober, portOf(state), state));
    }
    return pairs.flatMap((pair) => judge(pair, rttMs, measured));
  } finally {
    await lab.close();
  }
}

const keyOf = (state: State) => JSON.stringify(Object.entries(state).toSorted(([a], [b]) => (a < b ? -1 : 1)));

function scenarioOf({ server: _, window: __, rttMs: ___, resumed: ____, ...scenario }: State): Omit<Scenario, 'name'> {
  return scenario;
}

/** What a server of small files, or our own machine, takes longer than (ms) only while something else has its processor. */
const MOST_WORK_MS = { handshake: 6, response: 4, request: 4 };

function isUndisturbed({ prober, network, tls, http, marks }: Result): boolean {
  const requestMs = (marks.pretransfer ?? 0) - (marks.appconnect ?? 0);
  return (
    prober.clean &&
    (network.retransmits ?? 0) === 0 &&
    (tls?.handshake.workMs ?? 0) <= MOST_WORK_MS.handshake &&
    (http?.workMs ?? 0) <= MOST_WORK_MS.response &&
    requestMs <= MOST_WORK_MS.request
  );
}

/** Some undisturbed Results of a state. */
async function resultsOf(
  lab: Lab,
  prober: LabProber,
  port: number,
  { resumed = false, http2 }: State,
): Promise<Result[]> {
  const url = `https://${lab.address}:${port}/`;
  const alpn = http2 ? undefined : ['http/1.1' as const];
  const results: Result[] = [];
  for (let tries = 0; tries < MOST_TRIES && results.length < PROBES; tries += 1) {
    const sequence = await prober.sequence({ url, settings: { caPem: lab.caPem, alpn, resume: resumed } });
    const result = sequence.at(-1);
    if (!result?.ok) throw new Error(`${url}: ${result?.failure?.message}`);
    if (resumed && !result.tls?.resumed) throw new Error(`${url} did not resume`);
    if (isUndisturbed(result)) results.push(result);
  }
  return results;
}

function judge(pair: Pair, rttMs: number, measured: Map<string, Result[]>): Judged[] {
  const before = leastDisturbed(measured.get(keyOf(pair.before)) ?? []);
  const after = leastDisturbed((measured.get(keyOf(pair.after)) ?? []).map(asFull));
  if (!before || !after) return [];
  const predicted = whatIf(before.facts, pair.changes, 'api').after;
  return [{ pair, rttMs, predicted, measured: after.facts.measured, before: before.result, after: after.result }];
}

/** A busy machine makes probes longer, never shorter: the one that took least shows what the server does. */
function leastDisturbed(results: readonly Result[]): { result: Result; facts: Facts } | undefined {
  const usable = results.flatMap((result) => {
    const facts = factsOf(result);
    return facts ? [{ result, facts }] : [];
  });
  return usable.toSorted((a, b) => a.facts.measured.total - b.facts.measured.total)[0];
}

/** A resumed handshake is no base for a prediction, but its milestones are read in the same way. */
const asFull = (result: Result): Result => ({ ...result, tls: result.tls && { ...result.tls, resumed: false } });

function report(judged: readonly Judged[]): void {
  const line = (cells: (string | number)[]) => process.stdout.write(`| ${cells.join(' | ')} |\n`);
  line(['change', 'pairs', ...EACH]);
  line(['---', '---', ...EACH.map(() => '---')]);
  const groups = [...new Set(judged.map(({ pair }) => pair.what))];
  for (const what of groups)
    line(
      rowOf(
        what,
        judged.filter(({ pair }) => pair.what === what),
      ),
    );
  line(rowOf('all', judged));
  for (const each of judged) {
    const missed = EACH.filter((milestone) => !within(each, milestone));
    for (const milestone of missed)
      process.stdout.write(
        `missed: ${each.pair.what}, RTT ${each.rttMs}, ${milestone}: predicted ${each.predicted[milestone].toFixed(1)}, measured ${each.measured[milestone].toFixed(1)} ms (${JSON.stringify(each.pair.before)} -> ${JSON.stringify(each.pair.after)})\n`,
      );
  }
}

function rowOf(what: string, group: readonly Judged[]): (string | number)[] {
  const cells = EACH.map((milestone) => {
    const errors = group.map((each) => Math.abs(each.predicted[milestone] - each.measured[milestone]));
    const median = errors.toSorted((a, b) => a - b)[Math.floor(errors.length / 2)] ?? Number.NaN;
    return `${group.filter((each) => within(each, milestone)).length} (${median.toFixed(1)} ms)`;
  });
  return [what, group.length, ...cells];
}

function within({ pair, rttMs, predicted, measured }: Judged, milestone: Milestone): boolean {
  const bound = Math.max(LEAST_MS[milestone], RTT_SHARE * (pair.before.rttMs ?? rttMs));
  return Math.abs(predicted[milestone] - measured[milestone]) <= bound;
}
