import { AdviceCard, mostSaved } from '#components/advice/advice-card.tsx';
import { ChangeTable } from '#components/advice/change-table.tsx';
import { Empty } from '#components/ui/empty.tsx';
import { LiveRefresh } from '#components/ui/live-refresh.tsx';
import { type AdviceFacts, type AdviceSample, MAX_ADVICE_DAYS } from '#contract/advice.ts';
import { adviceTexts, deadAddressText, wasteText } from '#i18n/advice.ts';
import { formatNumber } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { readAdvice, type TargetAdvice } from '#server/advice/advice.ts';
import { readerPage, readerTitle } from '../../../access.ts';
import { findTarget } from '../../../find.ts';
import { narrowed } from '../figures.ts';
import { isYoung, openTargetPage, TargetFrame, type TargetPage, type TargetPageProps } from '../target-frame.tsx';
import { changeLabel } from './change-label.ts';

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
