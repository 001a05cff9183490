import { type AdviceClient, type AdviceFacts, type Savings, SERVER_KINDS } from '#contract/advice.ts';
import { adviceTexts } from '#i18n/advice.ts';
import { locationName } from '#i18n/names.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Table } from '../ui/table.tsx';
import { SnippetBox } from './snippet-box.tsx';

const TONES: Record<AdviceFacts['severity'], Tone> = { info: 'plain', warning: 'warn', critical: 'bad' };
export const MILESTONES = ['handshake', 'firstUsable', 'firstBody', 'total'] as const;
/** So many vantages are shown at once; the others are behind a button. */
const SHOWN_VANTAGES = 5;
/** Less than this (ms) is nothing. */
const LEAST_MS = 0.05;

type Props = { ui: Ui; advice: AdviceFacts; client: AdviceClient; rank: number };

/** One piece of advice: what is found, what it saves whom and where, what to do, and why that might not help. */
export function AdviceCard({ ui, advice, client, rank }: Props) {
  const { t } = ui;
  const { code, severity, confidence, shown, judged, basis } = advice;
  const texts = adviceTexts(ui, advice);
  const title = `advice-${code}`;
  return (
    <article className="panel mb-4 p-4" aria-labelledby={title}>
      <div className="flex flex-wrap items-center gap-2">
        <h2 id={title}>
          {rank}. {texts.title}
        </h2>
        <Badge tone={TONES[severity]}>{t(`severity.${severity}`)}</Badge>
        <Badge title={t('advice.confidenceDef')}>{t(`advice.confidence.${confidence}`)}</Badge>
        <p className="ml-auto font-semibold text-[1.1rem]">
          <Saving ui={ui} advice={advice} client={client} />
        </p>
      </div>
      <p className="mt-2">{texts.evidence}</p>
      <p className="mt-1 text-muted">
        {t('advice.seen', {
          shown: formatNumber(ui.locale, shown.results),
          results: formatNumber(ui.locale, judged.results),
          shownVantages: shown.vantages,
          vantages: judged.vantages,
        })}
        {basis === 'rule' ? ` ${t('advice.byRule')}` : ''}
      </p>
      <div className="mt-3 grid items-start gap-4 lg:grid-cols-2">
        <GainTable ui={ui} advice={advice} title={texts.title} />
        <Vantages ui={ui} advice={advice} client={client} title={texts.title} />
      </div>
      <h3 className="mt-3 font-semibold">{t('advice.fixTitle')}</h3>
      <p className="mt-1">{texts.fix}</p>
      <Snippets ui={ui} advice={advice} />
      <h3 className="mt-3 font-semibold">{t('advice.caveatTitle')}</h3>
      <p className="mt-1 text-muted">{texts.caveat}</p>
    </article>
  );
}

/** The most that is saved until any milestone. */
export const mostSaved = (savings: Savings): number => Math.max(...MILESTONES.map((milestone) => savings[milestone]));

function Saving({ ui, advice: { gains, occasion }, client }: Pick<Props, 'ui' | 'advice' | 'client'>) {
  const { t } = ui;
  const saved = mostSaved(gains[client]);
  if (saved < LEAST_MS) return <span className="text-muted">{t('advice.noTime')}</span>;
  return t(`advice.saves.${occasion}`, { time: formatQuantity(ui, saved, 'ms') });
}

const timeText = (ui: Ui, ms: number) => (Math.abs(ms) < LEAST_MS ? '0' : formatQuantity(ui, ms, 'ms'));

/** Milliseconds by milestone, for browsers and for other clients. Nothing where neither gains. */
function GainTable({ ui, advice: { gains }, title }: Pick<Props, 'ui' | 'advice'> & { title: string }) {
  const { t } = ui;
  if (!savesAnybody(gains)) return null;
  return (
    <Table
      label={`${t('advice.gains')}${t('punctuation.colon')}${title}`}
      density="compact"
      rows={MILESTONES}
      rowKey={(milestone) => milestone}
      columns={[
        { key: 'until', head: t('advice.until'), cell: (each) => t(`advice.milestone.${each}`), rowHead: true },
        {
          key: 'browser',
          head: t('advice.client.browser'),
          definition: t('advice.clientDef.browser'),
          cell: (each) => timeText(ui, gains.browser[each]),
          numeric: true,
        },
        {
          key: 'api',
          head: t('advice.client.api'),
          definition: t('advice.clientDef.api'),
          cell: (each) => timeText(ui, gains.api[each]),
          numeric: true,
        },
      ]}
    />
  );
}

type Vantage = AdviceFacts['vantages'][number];

const savesAnybody = ({ browser, api }: AdviceFacts['gains']) =>
  mostSaved(browser) >= LEAST_MS || mostSaved(api) >= LEAST_MS;

/**
 * Where it shows: the vantages that gain most first; where the chosen clients gain nothing they are all behind the button.
 */
function Vantages({ ui, advice: { vantages, gains }, client, title }: Omit<Props, 'rank'> & { title: string }) {
  const { t } = ui;
  const first = mostSaved(gains[client]) >= LEAST_MS ? vantages.slice(0, SHOWN_VANTAGES) : [];
  const rest = vantages.slice(first.length);
  const label = `${t('advice.where')}${t('punctuation.colon')}${title}`;
  const more = t('advice.more', { n: rest.length, first: first.length });
  return (
    <div>
      {first.length > 0 ? <VantageTable ui={ui} vantages={first} label={label} /> : null}
      {rest.length > 0 ? (
        <details className="mt-1">
          <summary className="cursor-pointer px-2 py-1 text-accent">{more}</summary>
          <VantageTable ui={ui} vantages={rest} label={`${label}${t('punctuation.comma')}${more}`} />
        </details>
      ) : null}
    </div>
  );
}

function VantageTable({ ui, vantages, label }: { ui: Ui; vantages: readonly Vantage[]; label: string }) {
  const { t } = ui;
  const nameOf = ({ region, carrier, name }: Vantage) =>
    region && carrier ? locationName(ui, region, carrier) : (name ?? t('common.noValue'));
  return (
    <Table
      label={label}
      density="compact"
      rows={vantages}
      rowKey={({ id }, index) => id ?? String(index)}
      columns={[
        {
          key: 'vantage',
          head: t('advice.vantage'),
          cell: nameOf,
          rowHead: true,
          title: ({ name }) => name ?? undefined,
        },
        { key: 'rtt', head: t('advice.rtt'), cell: ({ rttMs }) => formatQuantity(ui, rttMs, 'ms'), numeric: true },
        {
          key: 'saves',
          head: t('advice.savesHead'),
          definition: t('advice.savesDef'),
          cell: ({ savesMs }) => timeText(ui, mostSaved(savesMs)),
          numeric: true,
        },
        {
          key: 'results',
          head: t('advice.results'),
          definition: t('advice.resultsDef'),
          cell: ({ shown, results }) => t('advice.of', { shown, results }),
          numeric: true,
          wideOnly: true,
        },
      ]}
    />
  );
}

/** The configuration for the server that the responses name, and for the others by choice; nothing where none has any. */
function Snippets({ ui: { t }, advice: { snippets, server, code } }: Pick<Props, 'ui' | 'advice'>) {
  if (Object.keys(snippets).length === 0) return null;
  const choices = SERVER_KINDS.map((kind) => ({
    value: kind,
    label: t(`advice.server.${kind}`),
    snippet: snippets[kind] ?? null,
    none: kind === 'cdn' ? t('advice.ofCdn') : t('advice.noSnippet', { server: t(`advice.server.${kind}`) }),
  }));
  return (
    <SnippetBox
      key={code}
      choices={choices}
      chosen={server}
      texts={{
        label: t('advice.configuration'),
        copy: t('common.copy'),
        copied: t('common.copied'),
        unknown: t('advice.unknownServer'),
      }}
    />
  );
}
