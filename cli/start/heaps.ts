import { memoryMib, shareOf } from '../memory.ts';

// How much of the machine's memory each heap may take. V8 collects sooner the nearer a heap is to its limit; without one it lets
// a heap grow to gigabytes before it looks for what is no longer used. The rest is PostgreSQL's, and the page cache's.

/** Objects of the web process that live, MiB. */
const webHeapMib = (memory: number) => shareOf(memory, 0.25, [192, 2_048]);
/** Room for new objects there, MiB, of which V8 takes up to three: a batch of results is a few megabytes of short-lived ones. */
const webYoungMib = (memory: number) => shareOf(memory, 1 / 128, [8, 64]);
/** Objects of the jobs, MiB: the detector keeps what it knows of every series. */
export const jobsHeapMib = (memory: number = memoryMib()) => shareOf(memory, 0.45, [256, 4_096]);

/** Options of Node for the process that serves pages. */
export function webNodeArgs(memory: number = memoryMib()): string[] {
  return [`--max-old-space-size=${webHeapMib(memory)}`, `--max-semi-space-size=${webYoungMib(memory)}`];
}

/** Options of Node for the jobs as a process of their own. */
export function jobsNodeArgs(memory: number = memoryMib()): string[] {
  return [`--max-old-space-size=${jobsHeapMib(memory)}`, '--max-semi-space-size=8'];
}

/** Options for the demo's processes and their threads: many small objects that live for a moment. */
export const DEMO_NODE_ARGS = ['--max-semi-space-size=4'];
/** Options for the process that loads the demo's past: days of series, one after the other. */
export const DEMO_PAST_NODE_ARGS = ['--max-semi-space-size=4', '--max-old-space-size=256'];
