import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { casesOf, type Instants, parseLabels, readInstants } from './cases.ts';
import type { Detection } from './detection.ts';
import { judge } from './judge.ts';
import { describeMisses } from './misses.ts';
import { parseLines } from './sample-file.ts';
import { score } from './scores.ts';
import { AIMS, HEAD, layOut, rowOf } from './table.ts';

/** `samples.csv` beside the labels gives the delays in samples. */
async function instantsBeside(labels: string): Promise<Instants | undefined> {
  const file = path.join(path.dirname(labels), 'samples.csv');
  return existsSync(file) ? readInstants(createInterface({ input: createReadStream(file) })) : undefined;
}

const { values } = parseArgs({
  options: {
    labels: { type: 'string' },
    detections: { type: 'string' },
    misses: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
if (!values.labels || !values.detections) throw new Error('--labels FILE and --detections FILE are needed');

const detections = parseLines<Detection>(await readFile(values.detections, 'utf8'));
const instants = await instantsBeside(values.labels);
const cases = casesOf(parseLabels(await readFile(values.labels, 'utf8')), detections, instants);
const judgements = cases.map(judge);
const scores = score(judgements);
if (values.misses) for (const text of describeMisses(cases, judgements)) console.log(`${text}\n`);
if (values.json) console.log(JSON.stringify(scores, null, 2));
else console.log(layOut(transposed([...HEAD, rowOf('value', scores, null), AIMS])));

/** One line per score: easier to read than one long row. */
function transposed(rows: readonly (readonly string[])[]): string[][] {
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? ''));
}
