import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '#analysis/typical-level.ts';
import { Measurement } from '#contract/measurement.ts';
import { cookieHeader, sessionCookies } from '../e2e/session.ts';
import { startStack } from '../support/stack.ts';

const RUNS = 20;
/** A key may make 10 measurements a minute. */
const EVERY_MS = 6_500;
/** The demo is loaded and its history is judged. */
const SETTLED_MS = 90_000;

/**
 * How long a person waits who probes a URL from the 93 vantages of the demo, over the stream of events: from the request until the first answer,
 * until half and until all of them, s.
 */
export async function benchMeasurements(): Promise<void> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'roundtrip-bench-measurements-'));
  chmodSync(dataDir, 0o711);
  const stack = await startStack({ dataDir });
  try {
    const headers = { cookie: cookieHeader(await sessionCookies(stack.url, stack.password ?? '')), origin: stack.url };
    await sleep(SETTLED_MS);
    const targets = (await (await fetch(`${stack.url}/api/v1/targets`, { headers })).json()) as {
      data: { url: string }[];
    };
    const waits: { first: number; half: number; all: number; failed: number }[] = [];
    for (let run = 0; run < RUNS; run++) {
      const begin = performance.now();
      waits.push(await probe(stack.url, headers, targets.data[run % targets.data.length]?.url ?? ''));
      await sleep(Math.max(0, EVERY_MS - (performance.now() - begin)));
    }
    console.log(`| ${RUNS} measurements from 93 vantages, s | first answer | half | all |\n|---|---|---|---|`);
    for (const [name, share] of Object.entries({ median: 0.5, p95: 0.95, longest: 1 })) {
      const of = (key: 'first' | 'half' | 'all') =>
        quantile(
          waits.map((wait) => wait[key]).toSorted((a, b) => a - b),
          share,
        ).toFixed(2);
      console.log(`| ${name} | ${of('first')} | ${of('half')} | ${of('all')} |`);
    }
    console.log(`\n${waits.reduce((sum, { failed }) => sum + failed, 0)} of ${RUNS * 93} failed.`);
  } finally {
    await stack.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function probe(server: string, headers: Record<string, string>, url: string) {
  const begin = performance.now();
  const made = await fetch(`${server}/api/v1/measurements`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ url }),
  });
  if (made.status !== 202) throw new Error(`${made.status} ${await made.text()}`);
  const { id } = Measurement.parse(await made.json());
  const stream = await fetch(`${server}/api/v1/measurements/${id}`, {
    headers: { ...headers, accept: 'text/event-stream' },
  });
  const waits = { first: 0, half: 0, all: 0, failed: 0 };
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (!data) continue;
      const { counts } = JSON.parse(data) as Pick<Measurement, 'counts'>;
      const since = (performance.now() - begin) / 1_000;
      const answered = counts.done + counts.failed;
      if (answered > 0) waits.first ||= since;
      if (answered * 2 >= counts.total) waits.half ||= since;
      if (answered === counts.total) waits.all ||= since;
      waits.failed = counts.failed;
    }
    if (waits.all > 0) return waits;
  }
  throw new Error('the stream ended before all had answered');
}
