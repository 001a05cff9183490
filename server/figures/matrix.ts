import { changeOf, emptySummary, type Summary, statisticOf } from '#analysis/summary.ts';
import { countryOf, orderCarriers, orderRegions } from '#contract/location.ts';
import type { Matrix, MatrixQuery, Measured } from '#contract/query.ts';
import { type Metric, PHASES, type Stat, unitOf } from '#contract/vocabulary.ts';
import { targetRef } from '#server/targets/target-ref.ts';
import { type Cells, cellKey, countriesOf, type Locations } from './cells.ts';
import { readTarget, type TargetReader } from './figures.ts';
import { instantOf, type Range } from './range.ts';
import { isUsual, type Usual, type UsualMetric } from './usual.ts';

/** What is shown of each cell; `before` is the range compared with. */
export type Shown = Pick<Matrix, 'metric' | 'stat' | 'demo' | 'generatedUntil' | 'importedUntil'> & { range: Range };

/**
 * Regions by carriers over a range, with margins, and the same of another range to compare with. Percentiles come from
 * merged histograms, also in the margins: these weigh a place by how many results it has. Every region meets every
 * carrier; a cell without data has value null and n 0.
 */
export async function queryMatrix(
  query: Omit<MatrixQuery, 'variant'> & Partial<Pick<MatrixQuery, 'variant'>>,
): Promise<Matrix> {
  return await matrixOf(await readTarget(await targetRef(query.target), query), query);
}

/** The same of what a reader reads. */
export async function matrixOf(
  asked: TargetReader,
  { metric, stat }: Pick<MatrixQuery, 'metric' | 'stat'>,
): Promise<Matrix> {
  // Whether a target is available is told by our own probers alone, as why it fails.
  const reader = stat === 'availability' ? asked.own() : asked;
  const { target, range, locations, variant } = reader;
  const withLevels = stat === 'p50' && variant === 'main' && isUsual(metric) ? metric : null;
  const [now, compared, assigned, generated, imported, usual] = await Promise.all([
    reader.cells(metric),
    reader.cellsBefore(metric),
    reader.assigned(),
    reader.generated(),
    reader.imported(),
    withLevels && reader.usual(),
  ]);
  const shown = { metric, stat, range, demo: target.demo, generatedUntil: generated, importedUntil: imported };
  const matrix = buildMatrix(shown, placesShown(locations, now, assigned), now, compared);
  return withLevels && usual ? withUsual(matrix, withLevels, usual, reader) : matrix;
}

/** The usual level of each cell and margin: that of the vantages that count in it. */
function withUsual(matrix: Matrix, metric: UsualMetric, usual: Usual, { locations, range }: TargetReader): Matrix {
  const { importedUntil } = matrix;
  const vantages = new Map<string, string[]>();
  for (const [id, group] of locations.groups) {
    const { region, carrier } = locations.cells[group] ?? {};
    if (region === undefined || carrier === undefined) continue;
    for (const scope of [{}, { country: countryOf(region) }, { region }, { carrier }, { region, carrier }]) {
      const own = vantages.get(scopeKey(scope)) ?? [];
      vantages.set(scopeKey(scope), own);
      own.push(id);
    }
  }
  return eachOf(matrix, (cell) => {
    const counted = vantages.get(scopeKey(cell)) ?? [];
    return { ...cell, usual: usual.levelOf(counted, metric, range, importedUntil) };
  });
}

/** What a cell or a margin is of; a margin of all has none. */
type Scope = { country?: string; region?: string; carrier?: string };
const scopeKey = ({ country = '', region = '', carrier = '' }: Scope) => `${country} ${region} ${carrier}`;

/** A matrix with each cell and margin changed. */
function eachOf(matrix: Matrix, change: <Cell extends Measured & Scope>(cell: Cell) => Cell): Matrix {
  const { countries, regions, carriers, all } = matrix.margins;
  const lines = { countries: countries.map(change), regions: regions.map(change), carriers: carriers.map(change) };
  return { ...matrix, cells: matrix.cells.map(change), margins: { ...lines, all: change(all) } };
}

/** The matrix set against the usual level of its hours, where that is known, in place of another range. */
export function againstUsual(matrix: Matrix): Matrix {
  return eachOf(matrix, (cell) => {
    const { value, n, usual = null } = cell;
    return { ...cell, compare: usual === null ? null : { value: usual, n, change: changeOf(value, usual) } };
  });
}

/** The regions and carriers of a matrix: those assigned to the target and those it has results from. */
function placesShown(locations: Locations, now: Cells, assigned: number[]): { regions: string[]; carriers: string[] } {
  const cells = assigned.flatMap((group) => locations.cells[group] ?? []);
  return {
    regions: orderRegions([...cells.map((cell) => cell.region), ...now.byRegion.keys()]),
    carriers: orderCarriers([...cells.map((cell) => cell.carrier), ...now.byCarrier.keys()]),
  };
}

/** Medians (ms), a phase each, in the order in which they happen; null where it did not. */
type PhaseMedians = (number | null)[];

/** What the time is made of, over all places and in each region. */
export async function phaseMedians(
  reader: TargetReader,
): Promise<{ all: PhaseMedians; regions: Map<string, PhaseMedians> }> {
  const cells = await Promise.all(PHASES.map(reader.cells));
  const mediansOf = (of: (cells: Cells) => Summary | undefined) =>
    PHASES.map((phase, index) => statisticOf((cells[index] && of(cells[index])) ?? emptySummary(), phase, 'p50').value);
  const regions = new Set(cells.flatMap(({ byRegion }) => [...byRegion.keys()]));
  return {
    all: mediansOf(({ all }) => all),
    regions: new Map([...regions].map((region) => [region, mediansOf(({ byRegion }) => byRegion.get(region))])),
  };
}

/** The matrix of summaries that are already read. */
export function buildMatrix(
  { metric, stat, range, demo, generatedUntil, importedUntil }: Shown,
  { regions, carriers }: { regions: string[]; carriers: string[] },
  now: Cells,
  before: Cells | null,
): Matrix {
  const countries = { now: countriesOf(now), before: before && countriesOf(before) };
  const show = (summary: Summary | undefined, compared: Summary | undefined) =>
    measure(summary, before ? (compared ?? emptySummary()) : null, metric, stat);
  return {
    metric,
    stat,
    unit: unitOf(metric, stat),
    from: instantOf(range.from),
    to: instantOf(range.to),
    demo,
    generatedUntil,
    importedUntil,
    unclean: now.all.unclean,
    regions,
    carriers,
    cells: regions.flatMap((region) =>
      carriers.map((carrier) => {
        const key = cellKey(region, carrier);
        return { region, carrier, ...show(now.byCell.get(key), before?.byCell.get(key)) };
      }),
    ),
    margins: {
      countries: [...new Set(regions.map(countryOf))].map((country) => ({
        country,
        ...show(countries.now.get(country), countries.before?.get(country)),
      })),
      regions: regions.map((region) => ({ region, ...show(now.byRegion.get(region), before?.byRegion.get(region)) })),
      carriers: carriers.map((carrier) => ({
        carrier,
        ...show(now.byCarrier.get(carrier), before?.byCarrier.get(carrier)),
      })),
      all: show(now.all, before?.all),
    },
  };
}

function measure(summary: Summary | undefined, before: Summary | null, metric: Metric, stat: Stat): Measured {
  const { value, n } = statisticOf(summary ?? emptySummary(), metric, stat);
  if (!before) return { value, n, compare: null };
  const compared = statisticOf(before, metric, stat);
  return { value, n, compare: { ...compared, change: changeOf(value, compared.value) } };
}
