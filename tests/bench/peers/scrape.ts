// Asks a running blackbox_exporter for probes, as Prometheus does, but at a chosen pace. Runs in the prober's namespace on
// the core of the server, and prints a line of JSON a probe.
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Load } from '../truth-types.ts';

export const SCRAPE_PROGRAM = import.meta.filename;

/** `targets[n]` is probed by the nth probe, over and over. */
export type ScrapeOrder = { load: Load; exporterPort: number; module: string; targets: string[] };

/** One line of output; phases in seconds, as the exporter gives them. */
export type ScrapeLine = { target: string; ok: boolean; phases: Record<string, number> };

async function runOrder({ load, exporterPort, module, targets }: ScrapeOrder): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.concurrency });
  const startedAt = performance.now();
  let begun = 0;
  const lane = async () => {
    while (begun < load.count) {
      const target = targets[begun % targets.length] ?? '';
      const dueAt = load.rate === null ? 0 : startedAt + (begun * 1_000) / load.rate;
      begun += 1;
      const wait = dueAt - performance.now();
      if (wait > 0) await sleep(wait);
      const query = new URLSearchParams({ module, target });
      const text = await read(agent, `http://127.0.0.1:${exporterPort}/probe?${query}`);
      process.stdout.write(`${JSON.stringify(lineOf(target, text))}\n`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(load.concurrency, load.count) }, lane));
  agent.destroy();
}

function lineOf(target: string, text: string): ScrapeLine {
  const found = text.matchAll(/^probe_http_duration_seconds\{phase="(\w+)"\} (\S+)$/gm);
  const phases = Object.fromEntries([...found].map(([, phase = '', seconds]) => [phase, Number(seconds)]));
  return { target, ok: /^probe_success 1$/m.test(text), phases };
}

function read(agent: Agent, url: string): Promise<string> {
  return new Promise((settle, reject) => {
    const request = get(url, { agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () => settle(text)).once('error', reject);
    });
    request.once('error', reject);
  });
}

if (import.meta.main) await runOrder(JSON.parse(process.argv[2] ?? ''));
