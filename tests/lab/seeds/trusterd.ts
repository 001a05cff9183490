import path from 'node:path';
import type { Result } from '#contract/result.ts';
import { run } from '../commands.ts';
import type { Scenario } from '../types.ts';
import { medianOf, probed, type Row, resultsOf, type Seed } from './seed.ts';
import { adviceSentences } from './sentences.ts';
import type { Testbed } from './testbed.ts';

const RTT_MS = 28;
const PROBES = 5;
const SECONDS = 3;
const CONNECTIONS = 8;
const STREAMS = 16;
/** In the article four times as many requests; the larger part of ours is the load's own work. */
const LEAST_FACTOR = 3;
/** A record of 100 bytes under TLS 1.2: header, nonce and tag take 29 more. Ten packets are the first window. */
const WINDOW_BYTES = 10 * 129;
const WINDOW_TOLERANCE = 0.05;

const LARGE: Scenario = { name: 'records-16384', tls: '1.2', http2: true, bodyBytes: 4_000 };
const TINY: Scenario = { ...LARGE, name: 'records-100', recordBytes: 100 };

/** Many tiny records: requests a second, and a round trip where ten packets fill the window. */
export const trusterdSeed: Seed = {
  title: 'trusterd: records of 100 bytes',
  source: 'matsumotory, trusterd and h2o: TLS records of HTTP/2, 2014',
  notes: [`Bodies of 4 kB over HTTP/2, ${CONNECTIONS} connections of ${STREAMS} streams beside the server.`],
  measure: async (testbed, say) => {
    await testbed.setRtt(RTT_MS);
    const ports = await testbed.serve([LARGE, TINY]);
    const results: Record<string, Result[]> = {};
    const figures: Record<string, number> = {};
    for (const { name } of [LARGE, TINY]) results[name] = await probed(testbed, ports[name], PROBES);
    for (const { name } of [LARGE, TINY]) figures[name] = await perSecond(testbed, ports[name], say);
    return { results, figures };
  },
  rowsOf: (measured) => {
    const tiny = resultsOf(measured, TINY.name);
    const [few, many] = [measured.figures[TINY.name], measured.figures[LARGE.name]];
    if (few === undefined || many === undefined) throw new Error('requests a second were not measured');
    return [windowRow(tiny, resultsOf(measured, LARGE.name)), loadRow(few, many, tiny)];
  },
};

function windowRow(tiny: Result[], large: Result[]): Row {
  const waits = tiny.flatMap(({ roundTrips }) => roundTrips?.waits.find(({ phase }) => phase !== 'tls') ?? []);
  const after = waits.length === 0 ? 0 : medianOf(tiny, bytesBeforeWait);
  const lost = tripsOf(tiny) - tripsOf(large);
  return {
    what: 'round trips that records of 100 bytes cost a body of 4 kB',
    published: null,
    measured: `${lost}, the first after ${after.toLocaleString('en')} bytes`,
    expected: `1 or more, the first after ${WINDOW_BYTES.toLocaleString('en')} bytes within ${100 * WINDOW_TOLERANCE}%`,
    holds: lost >= 1 && Math.abs(after / WINDOW_BYTES - 1) <= WINDOW_TOLERANCE,
    sentences: adviceSentences(tiny),
  };
}

const bytesBeforeWait = ({ roundTrips }: Result) =>
  roundTrips?.waits.find(({ phase }) => phase !== 'tls')?.afterBytes ?? null;

/** Waits for the answer, its first byte and the rest. */
const tripsOf = (results: Result[]) =>
  medianOf(results, ({ roundTrips }) => roundTrips?.waits.filter(({ phase }) => phase !== 'tls').length ?? null);

function loadRow(few: number, many: number, tiny: Result[]): Row {
  const factor = many / few;
  return {
    what: 'requests a second, records of 16 kB against 100 bytes',
    published: '36,813 to 152,453: 4.1 times',
    measured: `${rounded(few)} to ${rounded(many)}: ${factor.toFixed(1)} times`,
    expected: `${LEAST_FACTOR} times or more`,
    holds: factor >= LEAST_FACTOR,
    sentences: adviceSentences(tiny),
  };
}

const rounded = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 0 });

/** Requests a second by h2load where it is installed, else by a client of Node's. */
async function perSecond(
  { address, beside }: Testbed,
  port: number | undefined,
  say: (text: string) => void,
): Promise<number> {
  const url = `https://${address}:${port}/`;
  const size = ['-c', String(CONNECTIONS), '-m', String(STREAMS)];
  const h2load = await run([...beside.enter, 'h2load', ...size, '-D', String(SECONDS), url]).catch(() => null);
  const found = /([\d.]+) req\/s/.exec(h2load?.stdout ?? '')?.[1];
  if (h2load?.status === 0 && found) return Number(found);
  say('No h2load is here: requests a second are those of an HTTP/2 client of Node, which is the slower side.');
  const script = path.join(import.meta.dirname, 'load.ts');
  const own = [process.execPath, script, url, String(CONNECTIONS), String(STREAMS), String(SECONDS)];
  const { stdout, stderr, status } = await run([...beside.enter, ...own]);
  if (status !== 0) throw new Error(`the load failed: ${stderr.trim()}`);
  return Number(stdout);
}
