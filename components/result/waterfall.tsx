import { Fragment, type ReactNode } from 'react';
import type { Result } from '#contract/result.ts';
import { PHASES, type Phase } from '#contract/vocabulary.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { differenceText } from '../incident/incident-text.ts';
import { Bar } from '../ui/bar.tsx';
import { Define } from '../ui/define.tsx';

type PhaseBar = { phase: Phase; start: number | null; duration: number | null };

/** When each phase began (ms since the probe's start) and how long it took; null where it did not happen. */
function barsOf({ marks, phases }: Result): PhaseBar[] {
  const starts: Record<Phase, number | null> = {
    dns: 0,
    // Without a look-up the connect begins with the probe.
    tcp: marks.namelookup ?? 0,
    tls: marks.connect,
    firstByte: marks.pretransfer,
    download: marks.starttransfer,
  };
  return PHASES.map((phase) => ({ phase, start: starts[phase], duration: phases[phase] }));
}

/** When the last phase of a probe ended, ms since its start. */
const endOf = (result: Result) =>
  Math.max(result.phases.total ?? 0, ...barsOf(result).map(({ start, duration }) => (start ?? 0) + (duration ?? 0)));

type Props = {
  ui: Ui;
  result: Result;
  /** Another handshake on the same time line: its bars are the thin ones. */
  other: Result | null;
  /** The choice of the other one. */
  choice: ReactNode;
};

/** The phases of one probe as bars on one time line, each with its milliseconds. */
export function Waterfall({ ui, result, other, choice }: Props) {
  const { t } = ui;
  const bars = barsOf(result);
  const others = other && barsOf(other);
  const whole = Math.max(endOf(result), other ? endOf(other) : 0, 0.001);
  return (
    <section className="panel p-4" aria-labelledby="waterfall-title">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="waterfall-title">{t('result.waterfall')}</h2>
        {choice}
      </div>
      <table className="mt-2 w-full">
        <caption className="sr-only">{t('result.waterfallCaption')}</caption>
        <thead className="sr-only">
          <tr>
            <th scope="col">{t('result.phase')}</th>
            <th scope="col">{t('result.startsAt')}</th>
            <th scope="col">{t('result.duration')}</th>
          </tr>
        </thead>
        <tbody>
          <Ruler ui={ui} whole={whole} trips={tripsOf(result, whole)} />
          {bars.map((bar, index) => (
            <Fragment key={bar.phase}>
              <Row
                ui={ui}
                bar={bar}
                other={others?.[index] ?? null}
                whole={whole}
                failed={result.failure?.phase === bar.phase}
              />
              {bar.phase === 'tcp' ? <Attempts ui={ui} result={result} whole={whole} /> : null}
              {bar.phase === 'firstByte' ? <Arrivals ui={ui} result={result} whole={whole} /> : null}
            </Fragment>
          ))}
          <tr className="border-line border-t font-semibold">
            <th scope="row" className="py-1 pr-3 text-left">
              <Define term={t('metric.total')} definition={t('metricDef.total')} />
            </th>
            <td />
            <td className="num">
              {formatQuantity(ui, result.phases.total, 'ms')}
              {other ? <Difference ui={ui} one={result.phases.total} other={other.phases.total} /> : null}
            </td>
          </tr>
        </tbody>
      </table>
    </section>
  );
}

type MarksProps = { ui: Ui; result: Result; whole: number };

/** The connects to each address, where there were several: they fill the phase. */
function Attempts({ ui, result, whole }: MarksProps) {
  const { t } = ui;
  return (result.network.attempts ?? []).map(({ address, atMs, durationMs, reason }) => (
    <tr key={address} className="text-[0.9rem]">
      <th scope="row" className="whitespace-nowrap py-0.5 pr-3 pl-3 text-left font-normal text-muted">
        <Define term={address} definition={t('result.attemptDef')} />
      </th>
      <td className="py-0.5">
        <Bar
          className="h-3"
          spans={[
            { from: atMs / whole, share: durationMs / whole, token: reason === null ? '--phase-tcp' : '--line-strong' },
          ]}
        />
      </td>
      <td className="num w-28 py-0.5 pl-3 text-muted">
        {reason === null ? null : <span className="badge badge-bad mr-2">{t(`failure.${reason}`)}</span>}
        {formatQuantity(ui, durationMs, 'ms')}
      </td>
    </tr>
  ));
}

/** First packet, first usable byte and first byte of the body: instants after the request, where the engine saw them. */
function Arrivals({ ui, result, whole }: MarksProps) {
  const { t } = ui;
  const request = result.marks.pretransfer;
  const { firstPacketMs = null, firstUsableMs = null } = result.http ?? {};
  const marks = [
    { term: t('result.firstPacket'), definition: t('result.firstPacketDef'), after: firstPacketMs },
    { term: t('result.firstUsable'), definition: t('result.firstUsableDef'), after: firstUsableMs },
    { term: t('metric.firstBody'), definition: t('metricDef.firstBody'), after: result.phases.firstBody ?? null },
  ];
  if (request === null) return null;
  return marks.map(({ term, definition, after }) =>
    after === null ? null : (
      <tr key={term} className="text-[0.9rem]">
        <th scope="row" className="whitespace-nowrap py-0.5 pr-3 pl-3 text-left font-normal text-muted">
          <Define term={term} definition={definition} />
        </th>
        <td className="py-0.5">
          <Bar className="h-3" spans={[{ from: (request + after) / whole, token: '--phase-firstByte' }]} />
        </td>
        <td className="num w-28 py-0.5 pl-3 text-muted">{formatQuantity(ui, after, 'ms')}</td>
      </tr>
    ),
  );
}

/** Steps of the axis are 1, 2 or 5 of a power of ten, and at most five. */
const MOST_STEPS = 5;
function stepOf(whole: number): number {
  const power = 10 ** Math.floor(Math.log10(whole / MOST_STEPS));
  return [1, 2, 5].map((each) => each * power).find((step) => whole / step <= MOST_STEPS) ?? 10 * power;
}

/** Most round trips that have a mark each. */
const MOST_TRIPS = 40;

/** When whole round trips from the start of the connect on are over, ms; none where their length is not known. */
function tripsOf({ network, marks }: Result, whole: number): number[] {
  const rttMs = network.rttMs ?? network.minRttMs;
  const start = marks.namelookup ?? 0;
  if (rttMs === null || rttMs <= 0 || (whole - start) / rttMs > MOST_TRIPS) return [];
  return multiplesOf(rttMs, whole - start).map((at) => start + at);
}

type RulerProps = { ui: Ui; whole: number; trips: number[] };

/** The time line's axis in ms, and below it one in round trips from the start of the connect on, where their length is known. */
function Ruler({ ui, whole, trips }: RulerProps) {
  const step = stepOf(whole);
  return (
    <tr className="text-[0.8rem] text-muted">
      <td className="pr-3">{trips.length > 0 ? ui.t('result.tripMarks') : null}</td>
      <td>
        <svg className="block h-6 w-full overflow-visible" aria-hidden="true">
          {multiplesOf(step, whole).map((at) => (
            <g key={at}>
              <line x1={shareText(at / whole)} x2={shareText(at / whole)} y1="13" y2="24" stroke="var(--line-strong)" />
              <text
                x={shareText(at / whole)}
                y="10"
                fill="currentColor"
                textAnchor={at === 0 ? 'start' : at / whole > 0.95 ? 'end' : 'middle'}
              >
                {formatNumber(ui.locale, at, 3)}
              </text>
            </g>
          ))}
          {trips.map((at) => (
            <circle key={at} cx={shareText(at / whole)} cy="20" r="2.5" fill="var(--accent)" />
          ))}
        </svg>
      </td>
      <td className="num">{ui.t('unit.ms')}</td>
    </tr>
  );
}

/** 0, `step`, twice that and so on, up to `end`. */
const multiplesOf = (step: number, end: number) =>
  Array.from({ length: Math.floor(end / step) + 1 }, (_, index) => index * step);

const shareText = (share: number) => `${Math.round(share * 10_000) / 100}%`;

/** How much longer the shown one took, ms; nothing where either did not get so far. */
function Difference({ ui, one, other }: { ui: Ui; one: number | null; other: number | null }) {
  if (one === null || other === null) return null;
  return (
    <span className="block font-normal text-[0.86rem] text-muted" title={ui.t('result.difference')}>
      {differenceText(ui, null, one - other)}
    </span>
  );
}

type RowProps = { ui: Ui; bar: PhaseBar; other: PhaseBar | null; whole: number; failed: boolean };

function Row({ ui, bar, other, whole, failed }: RowProps) {
  const { t } = ui;
  const { phase, start, duration } = bar;
  const happened = duration !== null && start !== null;
  const spansOf = (each: PhaseBar, token: string) =>
    each.start === null || each.duration === null
      ? []
      : [{ from: each.start / whole, share: each.duration / whole, token }];
  return (
    <tr>
      <th scope="row" className="w-28 whitespace-nowrap py-1 pr-3 text-left font-medium">
        <Define term={t(`metric.${phase}`)} definition={t(`metricDef.${phase}`)} />
      </th>
      <td className="py-1">
        <span className="sr-only">{happened ? `${t('result.startsAt')} ${formatQuantity(ui, start, 'ms')}` : ''}</span>
        <Bar className="h-5 rounded bg-raised" spans={spansOf(bar, `--phase-${phase}`)} />
        {other ? <Bar className="mt-0.5 h-2" spans={spansOf(other, '--muted')} /> : null}
      </td>
      <td className="num w-28 py-1 pl-3">
        {failed ? <span className="badge badge-bad mr-2 last:mr-0">{t('common.failed')}</span> : null}
        {happened ? formatQuantity(ui, duration, 'ms') : null}
        {happened || failed ? null : <span className="text-muted">{t('result.notHappened')}</span>}
        {other ? <Difference ui={ui} one={duration} other={other.duration} /> : null}
      </td>
    </tr>
  );
}
