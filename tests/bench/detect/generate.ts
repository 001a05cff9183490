import path from 'node:path';
import { parseArgs } from 'node:util';
import { STYLES, type Style } from './world/ranges.ts';
import { drawAll, writeLabels, writeSamples } from './worlds.ts';

// Writes `samples.csv` (the input of `roundtrip detect`) and `labels.jsonl` of one world into a folder.
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    series: { type: 'string', default: '40' },
    style: { type: 'string' },
    out: { type: 'string' },
  },
});
if (!values.out) throw new Error('--out FOLDER says where samples.csv and labels.jsonl go');
const seed = Number(values.seed);
const style = styleOf(values.style);
const world = drawAll(style, seed, Number(values.series));
await writeSamples(path.join(values.out, 'samples.csv'), world);
await writeLabels(path.join(values.out, 'labels.jsonl'), world);
console.log(`${values.out}: ${world.length} series of a world in style ${style}, seed ${seed}`);

/** Without a name, seeds take the styles in turn. */
function styleOf(name: string | undefined): Style {
  const found = name === undefined ? STYLES[seed % STYLES.length] : STYLES.find((each) => each === name);
  if (!found) throw new Error(`--style is one of ${STYLES.join(', ')}`);
  return found;
}
