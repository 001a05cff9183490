import Link from 'next/link';
import type { ReactNode } from 'react';
import type { Ui } from '#i18n/ui.ts';
import { STEPS, type StepName } from './steps.ts';

type Props = {
  ui: Ui;
  /** What came of each step that is done. */
  done: Partial<Record<StepName, ReactNode>>;
  skipped: readonly StepName[];
  /** The form of the open step: the first that is neither done nor skipped; null where none is. */
  form: ReactNode;
};

/** Where each step can be taken at any other time. */
const PAGES: Record<StepName, string> = { watch: '/targets/new', place: '/vantages/new', alerts: '/webhooks/new' };
/** A second installation on this machine, which starts with the demo. */
const DEMO = 'ROUNDTRIP_DATA=.roundtrip-demo npm start -- --port 3001';

/** The first step that is neither done nor skipped. */
export const openStep = (done: Props['done'], skipped: readonly StepName[]): StepName | null =>
  STEPS.find((step) => !(step in done) && !skipped.includes(step)) ?? null;

/** The steps of a new installation one below the other; of those that are not done, one is open. */
export function StepList({ ui, done, skipped, form }: Props) {
  const { t } = ui;
  const open = openStep(done, skipped);
  return (
    <section aria-labelledby="first-steps" className="mx-auto mb-6 max-w-2xl print:hidden">
      <h2 id="first-steps">{t('firstSteps.title')}</h2>
      <ol className="divide-y divide-line">
        {STEPS.map((step, index) => (
          <li key={step} aria-current={step === open ? 'step' : undefined} className="grid gap-2 py-4">
            <h3 className="flex flex-wrap items-baseline gap-x-2 font-semibold">
              <span aria-hidden="true" className={step in done ? 'text-good' : 'text-muted'}>
                {step in done ? '✓' : `${index + 1}.`}
              </span>
              {step in done || step === open ? (
                t(`firstSteps.${step}`)
              ) : (
                <Link href={PAGES[step]} prefetch={false} className="link inline-block min-h-[24px]">
                  {t(`firstSteps.${step}`)}
                </Link>
              )}
              {skipped.includes(step) && !(step in done) ? (
                <span className="font-normal text-muted">{t('firstSteps.skipped')}</span>
              ) : null}
            </h3>
            <div role="status" className="empty:hidden">
              {done[step]}
            </div>
            {step === open ? (
              <>
                <p className="text-muted">{t(`firstSteps.${step}Text`)}</p>
                {form}
                <form action="/preferences">
                  <input type="hidden" name="skipped" value={[...skipped, step].join('.')} />
                  <button type="submit" className="link min-h-[24px]">
                    {t('firstSteps.skip')}
                  </button>
                </form>
              </>
            ) : null}
          </li>
        ))}
      </ol>
      {Object.keys(done).length > 0 ? null : (
        <p className="text-[0.86rem] text-muted">
          {t('firstSteps.demo')} <code className="break-all font-mono">{DEMO}</code>
        </p>
      )}
    </section>
  );
}
