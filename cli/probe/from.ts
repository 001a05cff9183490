import { orderCarriers } from '#contract/location.ts';
import type { MeasurementCreate, MeasurementVantage } from '#contract/measurement.ts';
import type { Result } from '#contract/result.ts';
import { serverAndKey } from '../server-key.ts';
import { type ExitStatus, MetConditions, metBy } from './conditions.ts';
import { ServerApi } from './measurement-api.ts';
import { harmless, harmlessJson, type Paint, paintFor, wantsColour } from './paint.ts';
import type { ProbeOptions } from './plan.ts';
import { medianOf } from './summary.ts';
import { type Column, columnsOf, lineOf, numberColumn, titleOf } from './table.ts';

/**
 * Lets a server probe from its vantages: a row for each as its answer comes, then what each carrier's say together; or one JSON document, the
 * measurement with `carriers`. Ctrl-C cancels what has not answered. Throws a StartError where the server refuses or is lost.
 */
export async function probeFrom(wanted: MeasurementCreate, options: ProbeOptions): Promise<ExitStatus | 130> {
  const { stdout } = process;
  const { server, key } = serverAndKey(options, process.env);
  const api = new ServerApi(server, key);
  const creating = api.create(wanted);
  const stop: { cancelling?: Promise<void> } = {};
  process.once('SIGINT', () => {
    stop.cancelling = creating.then(({ id }) => api.cancel(id));
    stop.cancelling.catch(() => {}); // reported below
  });
  const made = await creating;
  const paint = paintFor(wantsColour(stdout, process.env));
  const columns = answerColumns(paint);
  const say = (text: string) => void (options.json || stdout.write(text));
  say(`${paint.dim(harmless(`${api.address}probe/${made.id}`))}\n${titleOf(columns)}`);
  await api.follow(made, (each) => say(lineOf(columns, each)));
  await stop.cancelling;
  const measured = await api.read(made.id);
  const carriers = carriersOf(measured.vantages);
  if (options.json) stdout.write(`${harmlessJson({ ...measured, carriers })}\n`);
  const summary = carrierColumns(paint);
  say(`\n${titleOf(summary)}${carriers.map((each) => lineOf(summary, each)).join('')}`);
  const met = new MetConditions();
  for (const { result } of measured.vantages) if (result) met.add(metBy(result, options.failIf));
  met.print(options.json);
  return stop.cancelling ? 130 : met.exitStatus(measured.counts.failed);
}

/** Why a vantage has no Result. */
const REASONS = {
  prober_away: 'its prober is away',
  not_taken: 'its prober did not ask for the probe',
  no_answer: 'its prober did not answer in time',
  cancelled: 'before it answered',
};

/** A longer name moves its row to the right. */
function answerColumns(paint: Paint): Column<MeasurementVantage>[] {
  const without: Record<string, (each: MeasurementVantage) => string> = {
    state: () => paint.red('FAILED'),
    wrong: ({ reason }) => (reason ? `${reason}: ${REASONS[reason]}` : ''),
  };
  const ofResult = columnsOf(paint, 'its machine').map(([heading, width, of]): Column<MeasurementVantage> => {
    const none = without[heading] ?? (() => of({ results: [] }));
    return [heading, width, (each) => (each.result ? of({ results: [[each.result]] }) : none(each))];
  });
  return [
    ['region', 6, ({ vantage }) => vantage.region],
    ['carrier', 9, ({ vantage }) => vantage.carrier],
    ['vantage', 20, ({ vantage }) => harmless(vantage.name)],
    ...ofResult,
  ];
}

const PHASES = ['dns', 'tcp', 'tls', 'firstByte'] as const;

/** What the vantages of a carrier say: medians of those that succeeded; round trips are those until the first byte. */
type CarrierSummary = {
  carrier: string;
  vantages: number;
  succeeded: number;
  medianMs: Record<string, number | null>;
  roundTrips: { took: number | null; expected: number | null };
  /** How many failed, by reason. */
  failures: Record<string, number>;
};

function carriersOf(all: readonly MeasurementVantage[]): CarrierSummary[] {
  return orderCarriers(all.map(({ vantage }) => vantage.carrier)).map((carrier) => {
    const own = all.filter(({ vantage }) => vantage.carrier === carrier);
    const good = own.flatMap(({ state, result }) => (state === 'done' && result ? [result] : []));
    const failed = own.filter(({ state }) => state === 'failed');
    const failures: Record<string, number> = {};
    for (const why of failed.map(({ reason, result }) => result?.failure?.reason ?? reason ?? 'unknown'))
      failures[why] = (failures[why] ?? 0) + 1;
    return {
      carrier,
      vantages: own.length,
      succeeded: good.length,
      medianMs: Object.fromEntries(PHASES.map((phase) => [phase, medianOf(good, ({ phases }) => phases[phase])])),
      roundTrips: { took: medianOf(good, tripsOf('took')), expected: medianOf(good, tripsOf('expected')) },
      failures,
    };
  });
}

/** Round trips of connect, TLS and the first byte together; null where one of them is unknown. */
const tripsOf =
  (which: 'took' | 'expected') =>
  ({ roundTrips }: Result): number | null => {
    const parts = roundTrips ? [roundTrips.tcp[which], roundTrips.tls[which], roundTrips.firstByte[which]] : [null];
    return parts.reduce((sum, part) => (sum === null || part === null ? null : sum + part), 0);
  };

function carrierColumns(paint: Paint): Column<CarrierSummary>[] {
  const time = (heading: string, phase: (typeof PHASES)[number]) =>
    numberColumn(heading, ({ medianMs }: CarrierSummary) => medianMs[phase]?.toFixed(1) ?? '-');
  const reasons = ({ failures }: CarrierSummary) => Object.entries(failures).map(([why, count]) => `${why} ${count}`);
  return [
    ['carrier', 9, ({ carrier }) => carrier],
    numberColumn('answered', ({ succeeded, vantages }) => `${succeeded} of ${vantages}`),
    time('dns ms', 'dns'),
    time('connect', 'tcp'),
    time('tls', 'tls'),
    time('first byte', 'firstByte'),
    numberColumn('trips', ({ roundTrips }) => `${roundTrips.took ?? '-'}`),
    numberColumn('due', ({ roundTrips }) => `${roundTrips.expected ?? '-'}`),
    ['failed', 0, (each) => paint.red(reasons(each).join(', '))],
  ];
}
