import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { collect, freePort, stop } from './process.ts';

const CACHE = path.join(import.meta.dirname, '../../node_modules/.cache/roundtrip-prometheus');
const UNPACKED = path.join(CACHE, 'usr/bin/prometheus');
const run = promisify(execFile);

/** Prometheus itself: this machine's, else Debian's package, unpacked and not installed. A sentence says why there is none. */
export async function findPrometheus(): Promise<{ file: string } | string> {
  const onPath = (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, 'prometheus'));
  const found = [...onPath, UNPACKED].find((file) => existsSync(file));
  if (found !== undefined) return { file: found };
  try {
    await mkdir(CACHE, { recursive: true });
    await run('apt-get', ['download', '-q', 'prometheus'], { cwd: CACHE });
    const [archive = ''] = (await readdir(CACHE)).filter((name) => name.endsWith('.deb'));
    await run('dpkg-deb', ['--extract', archive, '.'], { cwd: CACHE });
    await rm(path.join(CACHE, archive));
    return { file: UNPACKED };
  } catch (error) {
    return `there is no Prometheus here, and Debian's is not to be had: ${error instanceof Error ? error.message.slice(-300) : String(error)}`;
  }
}

const Series = z.object({ metric: z.record(z.string(), z.string()) });
const point = z.tuple([z.number(), z.string()]);
const Answer = z.discriminatedUnion('status', [
  z.object({ status: z.literal('error'), error: z.string() }),
  z.object({ status: z.literal('success'), data: z.unknown() }),
]);
const Matrix = z.object({ result: z.array(Series.extend({ values: z.array(point) })) });
const Vector = z.object({ result: z.array(Series.extend({ value: point })) });

/** A series of an answer, with its values that are numbers. */
type Answered = { labels: Record<string, string>; values: number[] };

export type Prometheus = {
  /** Asks for the present, or for the last minute in steps of a second. Throws what Prometheus has against the expression. */
  query: (expression: string, over: 'now' | 'minute') => Promise<Answered[]>;
  labelValues: (label: string, match: string) => Promise<string[]>;
  stop: () => Promise<void>;
};

/** Starts it with this configuration, on a free port of 127.0.0.1, with a folder of its own. */
export async function startPrometheus(file: string, config: string): Promise<Prometheus> {
  const folder = await mkdtemp(path.join(tmpdir(), 'roundtrip-prometheus-'));
  await writeFile(path.join(folder, 'prometheus.yml'), config);
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(
    file,
    [
      `--config.file=${path.join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${folder}`,
      `--web.listen-address=${address}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  await ready(child);
  const ask = async (what: string, parameters: Record<string, string>): Promise<unknown> => {
    const response = await fetch(`http://${address}/api/v1/${what}?${new URLSearchParams(parameters)}`);
    const answer = Answer.parse(await response.json());
    if (answer.status === 'error') throw new Error(`${answer.error}: ${JSON.stringify(parameters)}`);
    return answer.data;
  };
  const numbers = (values: z.infer<typeof point>[]) =>
    values.map(([, value]) => Number(value)).filter((value) => !Number.isNaN(value));
  return {
    query: async (query, over) => {
      const now = Date.now() / 1_000;
      if (over === 'now') {
        const { result } = Vector.parse(await ask('query', { query }));
        return result.map(({ metric, value }) => ({ labels: metric, values: numbers([value]) }));
      }
      const range = { start: `${now - 60}`, end: `${now}`, step: '1' };
      const { result } = Matrix.parse(await ask('query_range', { query, ...range }));
      return result.map(({ metric, values }) => ({ labels: metric, values: numbers(values) }));
    },
    labelValues: async (label, match) =>
      z.array(z.string()).parse(await ask(`label/${label}/values`, { 'match[]': match })),
    stop: async () => {
      await stop(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** It says so in its log. */
function ready(child: ChildProcess): Promise<void> {
  const said = collect(child);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.stderr?.on('data', () => {
    if (said().includes('Server is ready to receive web requests')) resolve();
  });
  child.on('exit', () => reject(new Error(`Prometheus ended: ${said().slice(-500)}`)));
  return promise;
}
