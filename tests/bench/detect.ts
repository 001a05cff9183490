import { parseArgs } from 'node:util';
import { casesOf } from './detect/cases.ts';
import { compareAt, drawCuts } from './detect/causality.ts';
import { detectUntil, hasCommand, roundtripDetector } from './detect/command.ts';
import { benchCost } from './detect/cost.ts';
import { type Detection, seriesKey } from './detect/detection.ts';
import type { Detector } from './detect/detector.ts';
import { addCounts, countPages, PAGE_AIMS, PAGE_HEAD, type PageCounts, pageRow } from './detect/happenings.ts';
import { type Judgement, judge } from './detect/judge.ts';
import { drawPageWorld } from './detect/page-world.ts';
import { benchRecorded } from './detect/recorded.ts';
import { madDetector } from './detect/references/mad.ts';
import { twoWindowDetector } from './detect/references/two-windows.ts';
import { score } from './detect/scores.ts';
import { drawShareWorld } from './detect/share-world.ts';
import { AIMS, type Cost, HEAD, layOut, rowOf } from './detect/table.ts';
import { STYLES, type Style } from './detect/world/ranges.ts';
import { drawSeries, type Series } from './detect/world/world.ts';
import { drawAll } from './detect/worlds.ts';

/** Worlds of three sizes, so that pooling has few vantages and many. */
const SIZES = [8, 12, 20];

/** One detector on one world. */
type Run = { style: Style; judgements: Judgement[]; ms: number };

/**
 * `npm run bench -- detect [--seeds N] [--from SEED] [--series N] [--style NAME] [--cuts N] [--no-references]`: prints scores by
 * world, of `roundtrip detect` and of two simple detectors. A style's first world is also cut off at `--cuts` instants.
 * `--cost SERIES` measures CPU and memory instead; `--pages N` scores pages on N worlds of 3 targets at 93 vantages,
 * `--shares N` lasting changes of the share of full handshakes; `--ripe FOLDER` lasting changes on recorded round trips.
 */
export async function benchDetect(arguments_: string[]): Promise<void> {
  const { values } = parseArgs({
    args: arguments_,
    options: {
      seeds: { type: 'string', default: '3' },
      from: { type: 'string', default: '1' },
      series: { type: 'string' },
      style: { type: 'string' },
      cuts: { type: 'string', default: '1' },
      references: { type: 'boolean', default: true },
      cost: { type: 'string' },
      pages: { type: 'string' },
      shares: { type: 'string' },
      ripe: { type: 'string' },
    },
    allowNegative: true,
  });
  if (values.cost !== undefined) return benchCost(Number(values.cost));
  if (values.pages !== undefined) return benchPages(Number(values.from), Number(values.pages));
  if (values.shares !== undefined) return benchShares(Number(values.from), Number(values.shares));
  if (values.ripe !== undefined) return benchRecorded(values.ripe);
  // `sparse` has longer periods than the file's format allows: it is run when it is asked for.
  const styles = STYLES.filter((style) => (values.style === undefined ? style !== 'sparse' : style === values.style));
  const detectors = [
    ...(hasCommand() ? [roundtripDetector] : []),
    ...(values.references ? [madDetector, twoWindowDetector] : []),
  ];
  const runs = new Map<Detector, Run[]>(detectors.map((detector) => [detector, []]));
  const from = Number(values.from);
  for (const style of styles) {
    for (let seed = from; seed < from + Number(values.seeds); seed++) {
      const world = drawAll(style, seed, Number(values.series ?? SIZES[seed % SIZES.length]));
      for (const detector of detectors) {
        const { run, detections } = await runOn(detector, style, seed, world);
        runs.get(detector)?.push(run);
        if (detector === roundtripDetector && seed === from)
          await checkCuts(world, detections, Number(values.cuts), seed);
      }
    }
  }
  for (const [{ name }, ofDetector] of runs) print(name, ofDetector, styles);
}

async function benchShares(from: number, worlds: number): Promise<void> {
  const runs: Run[] = [];
  for (let seed = from; seed < from + worlds; seed++) {
    const world = drawShareWorld(seed).map((line) => drawSeries(line, seed));
    runs.push((await runOn(roundtripDetector, 'two-mode', seed, world)).run);
  }
  const judgements = runs.flatMap((run) => run.judgements);
  console.log(layOut([...HEAD, rowOf('shares', score(judgements), costOf(runs))]));
}

/** Of six worlds one is probed every 30 s, two once a minute, the others every ten. */
const pagePeriodOf = (seed: number) => (seed % 6 === 4 ? 30 : seed % 3 === 0 ? 60 : 600);

async function benchPages(from: number, worlds: number): Promise<void> {
  const rows: string[][] = [];
  const all: PageCounts[] = [];
  for (let seed = from; seed < from + worlds; seed++) {
    const period = pagePeriodOf(seed);
    const world = drawPageWorld(seed, period).map((line) => drawSeries(line, seed));
    const { detections, merges = [], causes = [] } = await roundtripDetector.detect(world);
    const labels = world.flatMap(({ label, events }) => [label, ...events]);
    const counts = countPages(casesOf(labels, detections).map(judge), merges, causes);
    all.push(counts);
    rows.push(pageRow(`${seed}, ${period} s`, counts));
  }
  console.log(layOut([PAGE_HEAD, ...rows, pageRow('all', addCounts(all)), PAGE_AIMS]));
}

async function runOn(
  { detect }: Detector,
  style: Style,
  seed: number,
  world: readonly Series[],
): Promise<{ run: Run; detections: Detection[] }> {
  const begin = performance.now();
  const { detections, ms } = await detect(world);
  const passed = performance.now() - begin;
  const instants = new Map(
    world.map(({ label, samples }) => [seriesKey(label), samples.filter(({ ok }) => ok).map(({ at }) => at)]),
  );
  // Worlds are scored together, and each may use the names of another.
  const named = <T extends { incident?: string }>(one: T): T =>
    one.incident === undefined ? one : { ...one, incident: `${style} ${seed} ${one.incident}` };
  const labels = world.flatMap(({ label, events }) => [label, ...events.map(named)]);
  const cases = casesOf(labels, detections.map(named), instants);
  return { run: { style, judgements: cases.map(judge), ms: ms ?? passed }, detections };
}

/** Cuts the file off at random instants: what was raised before must be the same. */
async function checkCuts(
  world: readonly Series[],
  whole: readonly Detection[],
  count: number,
  seed: number,
): Promise<void> {
  for (const cut of drawCuts(world, count, seed)) {
    const { detections } = await detectUntil(world, cut);
    for (const { detection, only } of compareAt(cut, whole, detections))
      console.log(`NOT CAUSAL, cut off at ${cut}: only in the ${only} file: ${detection}`);
  }
}

function print(name: string, runs: readonly Run[], styles: readonly Style[]): void {
  const row = (title: string, some: readonly Run[]) => {
    const judgements = some.flatMap((run) => run.judgements);
    return rowOf(title, score(judgements), costOf(some));
  };
  const rows = styles.map((style) =>
    row(
      style,
      runs.filter((run) => run.style === style),
    ),
  );
  console.log(`\n${name}\n${layOut([...HEAD, ...rows, row('all', runs), AIMS])}`);
}

function costOf(runs: readonly Run[]): Cost {
  const series = runs.flatMap(({ judgements }) => judgements.map((judgement) => judgement.series));
  const ms = runs.reduce((sum, run) => sum + run.ms, 0);
  const halfHours = series.reduce((sum, { from, to }) => sum + (to - from) / 1_800, 0);
  return { aSeries: ms / series.length, aHalfHour: ms / halfHours };
}
