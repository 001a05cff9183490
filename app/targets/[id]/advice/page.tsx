import { AdviceCard, MILESTONES, mostSaved } from '#components/advice/advice-card.tsx';
import { Empty } from '#components/ui/empty.tsx';
import { LiveRefresh } from '#components/ui/live-refresh.tsx';
import { Table } from '#components/ui/table.tsx';
import {
  type AdviceClient,
  type AdviceFacts,
  type AdviceSample,
  MAX_ADVICE_DAYS,
  type Savings,
} from '#contract/advice.ts';
import { adviceTexts, deadAddressText, wasteText } from '#i18n/advice.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { readAdvice, type TargetAdvice } from '#server/advice/advice.ts';
import { readerPage, readerTitle } from '../../../access.ts';
import { findTarget } from '../../../find.ts';
import { narrowed } from '../figures.ts';
import { isYoung, openTargetPage, TargetFrame, type TargetPage, type TargetPageProps } from '../target-frame.tsx';

export const generateMetadata = readerTitle(async ({ t }, { params }: TargetPageProps) => {
  const target = await findTarget((await params).id);
  return target ? `${t('target.advice')} · ${target.name}` : t('notFound.title');
});

const DAY_MS = 86_400_000;
/** While there is too little to say that nothing is to be changed, or a new target's vantages have not all told. */
const WAITING_SECONDS = 10;
/** A change that saves the chosen client less (ms) is left out. */
const LEAST_MS = 2;
const SENTENCE = 'panel mb-4 px-4 py-3 text-[1.1rem]';

/** What to change at a target's server, on what evidence, worth what to whom. */
export default readerPage(async function AdvicePage(props: TargetPageProps, reader) {
  const page = await openTargetPage(props, reader);
  const { ui, filter, target } = page;
  const earliest = Date.parse(filter.to) - MAX_ADVICE_DAYS * DAY_MS;
  const cut = Date.parse(filter.from) < earliest;
  const from = cut ? new Date(earliest).toISOString() : filter.from;
  const found = await readAdvice(target.id, { ...narrowed(filter), from, client: filter.client });
  const { sample } = found;
  const waiting = !sample.enough || (isYoung(target) && sample.vantages < sample.ofVantages);
  return (
    <TargetFrame page={page} view="advice">
      {cut ? <p className="mb-3 text-muted">{ui.t('advice.cut', { days: MAX_ADVICE_DAYS })}</p> : null}
      {found.results === 0 ? (
        <Empty title={ui.t('advice.emptyTitle')} text={ui.t('advice.emptyText')} />
      ) : (
        <Found page={page} found={found} />
      )}
      <LiveRefresh {...(waiting ? { seconds: WAITING_SECONDS } : { follow: { target: target.id } })} />
    </TargetFrame>
  );
});

function Found({ page: { ui, filter }, found }: { page: TargetPage; found: TargetAdvice }) {
  const { client } = filter;
  const given = found.advice.filter(({ notice }) => !notice);
  const notices = found.advice.filter(({ notice }) => notice);
  const isHealthy = given.length === 0 && found.deadAddress === null;
  const paying = found.changes.filter(({ gains }) => mostSaved(gains[client]) >= LEAST_MS);
  const rows = paying.map(({ changes, together, gains }) => ({
    label: together ? ui.t('advice.together') : changes.map((change) => changeLabel(ui, change)).join(''),
    together,
    gains,
  }));
  return (
    <>
      {found.deadAddress ? <p className={SENTENCE}>{deadAddressText(ui, found.deadAddress)}</p> : null}
      {isHealthy || !found.sample.enough ? <Healthy ui={ui} sample={found.sample} /> : null}
      {found.waste ? <p className={SENTENCE}>{wasteText(ui, found.waste)}</p> : null}
      {given.map((advice, index) => (
        <AdviceCard key={advice.code} ui={ui} advice={advice} client={client} rank={index + 1} />
      ))}
      <ChangeTable ui={ui} rows={rows} client={client} />
      <Notices ui={ui} notices={notices} />
    </>
  );
}

/** Nothing to change, or too little to say so: then the page comes back by itself. */
function Healthy({ ui: { t, locale }, sample }: { ui: Ui; sample: AdviceSample }) {
  const figures = {
    results: formatNumber(locale, sample.results),
    vantages: formatNumber(locale, sample.vantages),
    of: formatNumber(locale, sample.ofVantages),
  };
  return (
    <div className="mb-4">
      {sample.enough ? (
        <Empty title={t('advice.healthyTitle')} text={t('advice.healthyText', figures)} />
      ) : (
        <Empty title={t('advice.waitingTitle')} text={t('advice.waitingText', figures)} />
      )}
    </div>
  );
}

/** What saves nothing on a visit that was measured, in short. */
function Notices({ ui, notices }: { ui: Ui; notices: readonly AdviceFacts[] }) {
  const { t } = ui;
  if (notices.length === 0) return null;
  return (
    <details className="panel mb-4 p-4">
      <summary className="cursor-pointer font-semibold">{t('advice.notices', { n: notices.length })}</summary>
      <ul className="mt-2">
        {notices.map((advice) => {
          const texts = adviceTexts(ui, advice);
          return (
            <li key={advice.code} className="border-line border-t py-2 first:border-t-0">
              <h3 className="font-semibold">{texts.title}</h3>
              <p>
                {texts.evidence} {texts.fix}
              </p>
              <p className="text-muted">{texts.caveat}</p>
            </li>
          );
        })}
      </ul>
    </details>
  );
}

type Change = TargetAdvice['changes'][number]['changes'][number];

/** A change to a server in words: `TLS 1.3`, `chain of 2,000 bytes`. */
function changeLabel({ t, locale }: Ui, change: Change): string {
  const number = (value: number) => new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }).format(value);
  switch (change.kind) {
    case 'chain':
    case 'records':
      return t(`advice.changeTo.${change.kind}`, { bytes: number(change.bytes) });
    case 'window':
      return t('advice.changeTo.window', { segments: number(change.segments) });
    case 'compressBody':
      return t('advice.changeTo.compressBody', { percent: number(change.ratio * 100) });
    case 'edge':
      return t('advice.changeTo.edge', { ms: number(change.rttMs) });
    case 'dns':
      return t('advice.changeTo.dns', { ms: number(change.ms) });
    default:
      return t(`advice.changeTo.${change.kind}`);
  }
}

/** A change to the server, in words, and what it saves. */
type ChangeRow = { label: string; together: boolean; gains: Record<AdviceClient, Savings> };

/** What changes would save by the model, the largest first. */
function ChangeTable({ ui, rows, client }: { ui: Ui; rows: readonly ChangeRow[]; client: AdviceClient }) {
  const { t } = ui;
  if (rows.length === 0) return null;
  const time = (ms: number) => (Math.abs(ms) < 0.5 ? '0' : formatQuantity(ui, ms, 'ms'));
  return (
    <section className="panel mb-4 p-4">
      <h2>{t('advice.changes')}</h2>
      <p className="mt-1 text-muted">{t('advice.changesText', { client: t(`advice.client.${client}`) })}</p>
      <Table
        label={t('advice.changes')}
        density="compact"
        className="mt-2"
        rows={rows}
        rowKey={({ label }) => label}
        columns={[
          {
            key: 'change',
            head: t('advice.change'),
            cell: ({ label, together }) => (together ? <strong>{label}</strong> : label),
            rowHead: true,
          },
          ...MILESTONES.map((milestone) => ({
            key: milestone,
            head: t(`advice.milestone.${milestone}`),
            cell: ({ gains }: ChangeRow) => time(gains[client][milestone]),
            numeric: true,
          })),
        ]}
      />
    </section>
  );
}
