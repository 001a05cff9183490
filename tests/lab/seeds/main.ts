// `npm run seeds [-- NAME ...]`: published experiments done again, with what was published beside what is measured here.
// Exit status: 0 all figures hold; 1 a count of round trips or a tolerance is missed; 2 bad arguments, or a machine that gives no lab.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { labProblem } from '../lab.ts';
import { feedKalasearch } from './into.ts';
import { kalasearchSeed } from './kalasearch.ts';
import { nginxSeed } from './nginx.ts';
import { tableOf } from './report.ts';
import type { Measured, Row, Seed } from './seed.ts';
import { semicompleteSeed } from './semicomplete.ts';
import { labTestbed } from './testbed.ts';
import { trusterdSeed } from './trusterd.ts';

const SEEDS: Record<string, Seed> = {
  nginx: nginxSeed,
  kalasearch: kalasearchSeed,
  semicomplete: semicompleteSeed,
  trusterd: trusterdSeed,
};
const USAGE = `Usage: npm run seeds [-- ${Object.keys(SEEDS).join(' | ')} ...] [--record FOLDER]

  --record FOLDER  also writes what was measured, as NAME.json.gz

       npm run seeds -- kalasearch --into URL [--token TOKEN]

  --into URL       feeds a running Roundtrip with the experiment: a target, vantages, a marker and a comparison a change
  --token TOKEN    a key of scope write (\`roundtrip key create --scope write\`); else that of ROUNDTRIP_TOKEN
`;

/** An experiment is measured so often at most, where a busy machine spoils a figure, and again only while all fits into this time. */
const MOST_TRIES = 3;
const RETRY_WITHIN_MS = 300_000;

const say = (text: string) => void process.stdout.write(`${text}\n`);

function refuse(problem: string): never {
  process.stderr.write(`${problem}\n\n${USAGE}`);
  process.exit(2);
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        record: { type: 'string' },
        into: { type: 'string' },
        token: { type: 'string', default: process.env.ROUNDTRIP_TOKEN },
      },
    });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

const { positionals, values } = readArguments();
const unknown = positionals.find((name) => !Object.hasOwn(SEEDS, name));
if (unknown !== undefined) refuse(`There is no experiment ${unknown}.`);
const { into, token } = values;
if (into !== undefined) {
  if (!/^https?:\/\//.test(into) || !URL.canParse(into)) refuse(`--into ${into} is no http or https address.`);
  if (positionals.join() !== 'kalasearch') refuse('--into takes the experiment kalasearch alone.');
  if (!token) refuse('--into needs --token, a key of scope write.');
}
const wanted = Object.entries(SEEDS).filter(([name]) => positionals.length === 0 || positionals.includes(name));

const problem = await labProblem(say);
if (problem !== null) {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}
const testbed = await labTestbed();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void testbed.close().then(() => process.exit(130)));

/** Measures until all rows hold, or often enough. */
async function rowsOf(name: string, seed: Seed): Promise<Row[]> {
  let measured: Measured | undefined;
  for (let tries = 1; ; tries += 1) {
    const before = performance.now();
    measured = await seed.measure(testbed, say, measured);
    const rows = seed.rowsOf(measured);
    const isLate = 2 * performance.now() - before > RETRY_WITHIN_MS;
    if (tries === MOST_TRIES || isLate || rows.every(({ holds }) => holds)) {
      if (values.record) record(values.record, name, measured);
      return rows;
    }
    say(`${name}: ${rows.filter(({ holds }) => !holds).length} figures are not there yet; measuring on.`);
  }
}

function record(folder: string, name: string, measured: Measured): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, `${name}.json.gz`), gzipSync(JSON.stringify(measured), { level: 9 }));
}

let missed = 0;
try {
  say(testbed.sentence);
  if (into !== undefined && token) {
    await feedKalasearch(testbed, into, token, say);
    await testbed.close();
    process.exit(0);
  }
  for (const [name, seed] of wanted) {
    const rows = await rowsOf(name, seed);
    missed += rows.filter(({ holds }) => !holds).length;
    say(`\n${tableOf(seed, rows)}`);
  }
} finally {
  await testbed.close();
}
say(missed === 0 ? '\nAll figures hold.' : `\n${missed} figures are missed.`);
process.exit(missed === 0 ? 0 : 1);
