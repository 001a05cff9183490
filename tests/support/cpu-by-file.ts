import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect } from 'vitest';
import { ROOT } from '#cli/dist.mjs';

// Notes the processor time of each test file in test-results/cpu.jsonl, where `npm test` says so: of its process, from here to the
// file's end, and of the processes that it started and that have ended. PostgreSQL's is none of them.

/** Linux counts in hundredths of a second. */
const TICKS_MS = 10;

/** utime, stime, cutime and cstime of /proc/self/stat (proc(5)), behind the command's name, which may hold spaces. */
function cpuMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICKS_MS;
}

if (process.env.TEST_CPU_FILE && process.platform === 'linux') {
  const before = cpuMs();
  afterAll(() => {
    const file = path.relative(ROOT, expect.getState().testPath ?? '');
    appendFileSync(process.env.TEST_CPU_FILE ?? '', `${JSON.stringify({ file, ms: cpuMs() - before })}\n`);
  });
}
