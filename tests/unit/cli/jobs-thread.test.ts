import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ROOT } from '#cli/dist.mjs';
import { jobsHeapMib } from '#cli/start/heaps.ts';
import { startJobsThread } from '#cli/start/jobs-thread.ts';

let channel: BroadcastChannel;
let said: string[] = [];
let name = '';
beforeEach(() => {
  name = `jobs-thread-${Math.random()}`;
  said = [];
  channel = new BroadcastChannel(name);
  channel.onmessage = (event) => said.push((event as MessageEvent<string>).data);
});
afterEach(() => channel.close());

/** A thread that says that it began, and does this then. */
const thread = (code: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(
      `import { parentPort } from 'node:worker_threads';
       const channel = new BroadcastChannel('${name}');
       channel.postMessage('began');
       ${code}`,
    )}`,
  );

it('starts the jobs again when their thread ends unasked, and says why', async () => {
  const errors: string[] = [];
  const write = process.stderr.write;
  process.stderr.write = ((text: string) => errors.push(text) > 0) as typeof write;
  try {
    const jobs = startJobsThread(
      thread(`channel.onmessage = () => {}; setTimeout(() => { throw new Error('broken') }, 10);`),
    );
    await expect.poll(() => said.length).toBe(2);
    await jobs.stop();
  } finally {
    process.stderr.write = write;
  }
  expect(errors.join('')).toMatch(/^the jobs ended \(Error: broken[\s\S]*\), restarting in 1 s\n/);
});

it('waits at a stop until the thread has ended', async () => {
  const jobs = startJobsThread(
    thread(`parentPort.once('message', () => { channel.postMessage('ends'); channel.close(); });`),
  );
  await expect.poll(() => said).toEqual(['began']);
  await jobs.stop();
  await expect.poll(() => said).toEqual(['began', 'ends']);
});

it('has a heap of its own size, whatever that of the pages is', () => {
  const code = `
    import { startJobsThread } from '#cli/start/jobs-thread.ts';
    const entry = "import v8 from 'node:v8'; console.log(v8.getHeapStatistics().heap_size_limit / 2 ** 20); process.exit(0)";
    const jobs = startJobsThread(new URL('data:text/javascript,' + encodeURIComponent(entry)));
    setTimeout(() => jobs.stop(), 800);`;
  const args = ['--max-old-space-size=200', '--input-type=module', '--eval', code];
  const { stdout } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  expect(Number(stdout.trim())).toBeGreaterThan(jobsHeapMib());
  expect(Number(stdout.trim())).toBeLessThan(jobsHeapMib() + 50);
});
