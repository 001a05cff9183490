import { Fragment } from 'react';
import type { Result } from '#contract/result.ts';
import { PHASES, type Phase } from '#contract/vocabulary.ts';
import { formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
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

/** The phases of one probe as bars on one time line, each with its milliseconds. */
export function Waterfall({ ui, result }: { ui: Ui; result: Result }) {
  const { t } = ui;
  const bars = barsOf(result);
  const ends = bars.map(({ start, duration }) => (start ?? 0) + (duration ?? 0));
  const whole = Math.max(result.phases.total ?? 0, ...ends, 0.001);
  return (
    <section className="panel p-4" aria-labelledby="waterfall-title">
      <h2 id="waterfall-title">{t('result.waterfall')}</h2>
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
          {bars.map((bar) => (
            <Fragment key={bar.phase}>
              <Row ui={ui} bar={bar} whole={whole} failed={result.failure?.phase === bar.phase} />
              {bar.phase === 'tcp' ? <Attempts ui={ui} result={result} whole={whole} /> : null}
              {bar.phase === 'firstByte' ? <Arrivals ui={ui} result={result} whole={whole} /> : null}
            </Fragment>
          ))}
          <tr className="border-line border-t font-semibold">
            <th scope="row" className="py-1 pr-3 text-left">
              <Define term={t('metric.total')} definition={t('metricDef.total')} />
            </th>
            <td />
            <td className="num">{formatQuantity(ui, result.phases.total, 'ms')}</td>
          </tr>
        </tbody>
      </table>
    </section>
  );
}

/** The connects to each address, where there were several: they fill the phase. */
function Attempts({ ui, result, whole }: { ui: Ui; result: Result; whole: number }) {
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
function Arrivals({ ui, result, whole }: { ui: Ui; result: Result; whole: number }) {
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

function Row({ ui, bar, whole, failed }: { ui: Ui; bar: PhaseBar; whole: number; failed: boolean }) {
  const { t } = ui;
  const { phase, start, duration } = bar;
  const happened = duration !== null && start !== null;
  return (
    <tr>
      <th scope="row" className="w-28 whitespace-nowrap py-1 pr-3 text-left font-medium">
        <Define term={t(`metric.${phase}`)} definition={t(`metricDef.${phase}`)} />
      </th>
      <td className="py-1">
        <span className="sr-only">{happened ? `${t('result.startsAt')} ${formatQuantity(ui, start, 'ms')}` : ''}</span>
        <Bar
          className="h-5 rounded bg-raised"
          spans={happened ? [{ from: start / whole, share: duration / whole, token: `--phase-${phase}` }] : []}
        />
      </td>
      <td className="num w-28 py-1 pl-3">
        {failed ? <span className="badge badge-bad mr-2 last:mr-0">{t('common.failed')}</span> : null}
        {happened ? formatQuantity(ui, duration, 'ms') : null}
        {happened || failed ? null : <span className="text-muted">{t('result.notHappened')}</span>}
      </td>
    </tr>
  );
}
