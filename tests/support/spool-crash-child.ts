// A process to be killed: `node spool-crash-child.ts FOLDER FIRST [drain]` appends numbered results to a spool and takes them out
// again, both at once. Each line on standard output is written before the next step: `appending N` (numbers below N may
// exist), `durable N` (all below N are flushed), `given LINE` (read), `acknowledged N,N,...`. With `drain` it only takes out,
// and ends.
import { writeSync } from 'node:fs';
import { Spool } from '#workers/prober/spool.ts';

/** What result `n` looks like, so that a torn or invented one is known from a real one. */
export function resultOf(n: number): string {
  return JSON.stringify({ n, text: `${n}·`.repeat(1 + ((n * 7919) % 400)) });
}

async function appendForEver(spool: Spool, first: number): Promise<never> {
  for (let n = first; ; ) {
    const next = n + 1 + Math.floor(Math.random() * 40);
    writeSync(1, `appending ${next}\n`);
    for (; n < next; n += 1) spool.append(resultOf(n));
    await spool.flush();
    writeSync(1, `durable ${next}\n`);
  }
}

/** Slower than what comes in, so that segments are closed and compressed meanwhile. */
async function take(spool: Spool): Promise<boolean> {
  const batch = await spool.read(1 + Math.floor(Math.random() * 30));
  if (!batch) return false;
  for (const line of batch.lines) writeSync(1, `given ${line}\n`);
  await spool.acknowledge(batch);
  writeSync(1, `acknowledged ${batch.lines.map((line) => JSON.parse(line).n).join()}\n`);
  return true;
}

if (import.meta.main) {
  const [directory = '', first = '0', mode] = process.argv.slice(2);
  const spool = new Spool({ directory, segmentBytes: 32 * 1024 });
  if (mode !== 'drain') void appendForEver(spool, Number(first));
  while ((await take(spool)) || mode !== 'drain') await new Promise(setImmediate);
  await spool.close();
  writeSync(1, `counts ${JSON.stringify(spool.counts)}\n`);
}
