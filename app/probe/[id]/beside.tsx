import Link from 'next/link';
import { AdviceCard } from '#components/advice/advice-card.tsx';
import { timeOf } from '#components/measurement/answer.ts';
import { orderCarriers } from '#contract/location.ts';
import type { Measurement, MeasurementVantage } from '#contract/measurement.ts';
import { medianOf } from '#contract/median.ts';
import { ProbeSettings } from '#contract/target.ts';
import { deadAddressText, wasteText } from '#i18n/advice.ts';
import { carrierName } from '#i18n/names.ts';
import { formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { adviseOn } from '#server/advice/advice.ts';
import { isSlowerThan, readUsual, type Usual } from '#server/figures/usual.ts';

type Props = { ui: Ui; measurement: Measurement };

type UsualProps = Props & { target: { id: string; name: string }; named: boolean };

/** The answers against the usual levels of the target that watches this server: a line for each carrier. */
export async function AgainstUsual({ ui, measurement, target, named }: UsualProps) {
  const { t } = ui;
  return (
    <section className="panel p-4" aria-labelledby="usual">
      <h2 id="usual">{t('measurement.usualTitle')}</h2>
      <UsualLines ui={ui} measurement={measurement} targetId={target.id} />
      {named ? (
        <p className="mt-1">
          <Link href={`/targets/${target.id}`} prefetch={false} className="link">
            {t('measurement.history', { name: target.name })}
          </Link>
        </p>
      ) : null}
    </section>
  );
}

export async function UsualLines({ ui, measurement, targetId }: Props & { targetId: string }) {
  const { t } = ui;
  const lines = againstUsual(measurement, await readUsual(targetId));
  if (lines.length === 0) return <p className="mt-1 text-muted">{t('measurement.noUsual')}</p>;
  return (
    <ul className="mt-1">
      {lines.map(({ carrier, usual, now, slower, places }) => (
        <li key={carrier} className={slower > 0 ? 'font-semibold' : ''}>
          {t('measurement.usual', {
            carrier: carrierName(ui, carrier),
            usual: formatQuantity(ui, usual, 'ms'),
            now: formatQuantity(ui, now, 'ms'),
            slower,
            places,
          })}
        </li>
      ))}
    </ul>
  );
}

const HOUR = 3_600;

/**
 * TLS times (ms) of the places that have a usual level at that hour and answered with their machine at rest: medians, and how many are
 * slower than usual.
 */
function againstUsual({ vantages, createdAt }: Measurement, { levelOf }: Usual) {
  const to = Date.parse(createdAt) / 1_000;
  const usualOf = (places: readonly MeasurementVantage[]) =>
    levelOf(
      places.map(({ vantage }) => vantage.id),
      'tls',
      { from: to - HOUR, to },
    );
  return orderCarriers(vantages.map(({ vantage }) => vantage.carrier)).flatMap((carrier) => {
    const places = vantages.filter(
      (each) =>
        each.vantage.carrier === carrier &&
        each.result?.prober.clean &&
        timeOf(each) !== null &&
        usualOf([each]) !== null,
    );
    const slower = places.filter((each) => isSlowerThan(timeOf(each), usualOf([each]))).length;
    const [usual, now] = [usualOf(places), medianOf(places.flatMap((each) => timeOf(each) ?? []))];
    return places.length === 0 ? [] : [{ carrier, usual, now, slower, places: places.length }];
  });
}

/** What to change at the server, as far as these answers show; nothing where there is nothing. */
export async function AnswerAdvice({ ui, measurement: { vantages, settings } }: Props) {
  const results = vantages.flatMap(({ result }) => result ?? []);
  const { advice, waste, deadAddress } = await adviseOn(results, ProbeSettings.parse(settings));
  const sentences = [deadAddress && deadAddressText(ui, deadAddress), waste && wasteText(ui, waste)].filter(Boolean);
  if (advice.length + sentences.length === 0) return null;
  return (
    <section aria-label={ui.t('target.advice')}>
      {sentences.map((sentence) => (
        <div key={sentence} className="panel mb-2 px-4 py-3 text-[1.1rem]">
          {sentence}
        </div>
      ))}
      {advice.length > 0 ? (
        <details className="panel px-4 py-2">
          <summary className="link w-fit cursor-pointer py-1">
            {ui.t('measurement.advice', { n: advice.length })}
          </summary>
          {advice.map((each, index) => (
            <AdviceCard key={each.code} ui={ui} advice={each} client="browser" rank={index + 1} />
          ))}
        </details>
      ) : null}
    </section>
  );
}
