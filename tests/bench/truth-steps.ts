import { plainNode } from './peers/plain-node.ts';
import { roundtrip } from './peers/roundtrip.ts';
import { OTHER_CORE, PROBER_CORE, start } from './truth-process.ts';
import { type CpuEntry, costOf, cpuRace, type Raced, race } from './truth-race.ts';
import { cpuTable, errorTable, memoryTable } from './truth-tables.ts';
import type { Load, Tool, TruthLab } from './truth-types.ts';

/** What the user may choose. */
export const MODES = ['idle', 'busy', 'paced', 'queued', 'cpu', 'memory', 'tap'] as const;
export type Mode = (typeof MODES)[number];

/** One table of the bench. `measure` gives its Markdown, and hands over how Roundtrip fared where that is of interest. */
export type Step = {
  mode: Mode;
  rttMs: number;
  title: string;
  measure: (lab: TruthLab, tools: Tool[], own: (raced: Raced) => void) => Promise<string>;
};

const QUEUE = 1_000;
/** Longer than all handshakes together take, shorter than the second after which a SYN is sent again. */
const LONG_RTT_MS = 900;
/** Slow enough that no tool queues, so that a probe's cost is not that of a crowd. */
const CPU_RATE = 250;
const CPU_PROBES = 2_000;
const TAP_ROUNDS = 3;
/** Processes that make a load of so much beside what is measured. */
const BURNERS = 4;

const oneByOne = (count: number): Load => ({ count, rate: null, concurrency: 1, http: true });
const atOnce: Load = { count: QUEUE, rate: null, concurrency: QUEUE, http: true };
const evenly: Load = { count: CPU_PROBES, rate: CPU_RATE, concurrency: QUEUE, http: true };

export const STEPS: Step[] = [
  { mode: 'idle', rttMs: 28, title: '1 in flight, RTT 28 ms', measure: errorsUnder(oneByOne(100)) },
  {
    mode: 'busy',
    rttMs: 28,
    title: `1 in flight beside ${BURNERS} processes that never rest, RTT 28 ms`,
    measure: (lab, tools, own) => beside(BURNERS, () => errorsUnder(oneByOne(200))(lab, tools.filter(isOurs), own)),
  },
  {
    mode: 'paced',
    rttMs: 28,
    title: '600 starts a second, evenly, RTT 28 ms',
    measure: errorsUnder({ count: 1_800, rate: 600, concurrency: 1_800, http: true }),
  },
  { mode: 'queued', rttMs: 28, title: '1,000 queued at once, RTT 28 ms', measure: errorsUnder(atOnce) },
  { mode: 'cpu', rttMs: 28, title: `CPU a probe, at ${CPU_RATE} a second, RTT 28 ms`, measure: measureCpu },
  { mode: 'tap', rttMs: 28, title: 'CPU a probe against plain Node, in turn', measure: measureTap },
  { mode: 'idle', rttMs: 1, title: '1 in flight, RTT 1 ms', measure: errorsUnder(oneByOne(200)) },
  {
    mode: 'memory',
    rttMs: LONG_RTT_MS,
    title: `Memory with 1,000 in flight, RTT ${LONG_RTT_MS} ms`,
    measure: async (lab, tools) => memoryTable(await race(lab, tools, atOnce)),
  },
];

const isOurs = (tool: Tool) => tool === roundtrip;

/** Measures while so many processes compete for the two cores. */
async function beside<T>(burners: number, measure: () => Promise<T>): Promise<T> {
  const command = ['taskset', '-c', `${PROBER_CORE},${OTHER_CORE}`, process.execPath, '-e', 'for (;;);'];
  const running = Array.from({ length: burners }, () => start(command, 'ignore'));
  try {
    return await measure();
  } finally {
    for (const each of running) each.kill('SIGKILL');
  }
}

function errorsUnder(load: Load): Step['measure'] {
  return async (lab, tools, own) => {
    const entries = await race(lab, tools, load);
    const ours = entries.find(({ tool }) => tool === roundtrip)?.raced;
    if (ours !== undefined && typeof ours !== 'string') own(ours);
    return errorTable(entries);
  };
}

async function measureCpu(lab: TruthLab, tools: Tool[]): Promise<string> {
  const handshake = await cpuRace(lab, tools, { ...evenly, http: false });
  return cpuTable(handshake, await cpuRace(lab, tools, evenly), plainNode.name);
}

/**
 * Our engine and plain Node in turn, several rounds, since the machine's own load changes more than the difference: the
 * ratio is the median of the rounds' ratios.
 */
async function measureTap(lab: TruthLab): Promise<string> {
  const rows: string[] = [];
  for (const http of [false, true]) {
    const load = { ...evenly, http };
    const rounds: { ours: number; plain: number }[] = [];
    for (let round = 0; round < TAP_ROUNDS; round += 1) {
      const plain = totalOf(await costOf(lab, plainNode, load));
      const ours = totalOf(await costOf(lab, roundtrip, load));
      // A round in which a probe failed tells nothing of the cost.
      if (Number.isFinite(plain + ours)) rounds.push({ plain, ours });
    }
    const [plain, ours] = [medianOf(rounds.map((r) => r.plain)), medianOf(rounds.map((r) => r.ours))];
    const ratios = rounds.map((r) => r.ours / r.plain).toSorted((one, other) => one - other);
    const [least = Number.NaN, most = Number.NaN] = [ratios[0], ratios.at(-1)];
    rows.push(
      `| ${http ? 'with HTTP/2 fetch' : 'handshake with staple'} | ${ours.toFixed(2)} | ${plain.toFixed(2)} | × ${medianOf(ratios).toFixed(2)} | ${least.toFixed(2)} to ${most.toFixed(2)} (${rounds.length}) |`,
    );
  }
  return [
    `| median of up to ${TAP_ROUNDS} rounds, CPU ms a probe | ${roundtrip.name} | ${plainNode.name} | ratio | of the rounds (how many) |`,
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function totalOf(cost: CpuEntry['cost']): number {
  return typeof cost === 'string' ? Number.NaN : cost.userMs + cost.systemMs;
}

function medianOf(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
