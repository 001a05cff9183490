import type { ProbeSettings } from '#contract/target.ts';
import type { Ui } from '#i18n/ui.ts';
import { settingFacts } from './setting-facts.ts';

/** How a target is probed, as far as that is out of the ordinary; nothing where it is not. */
export function SettingList({ ui, settings }: { ui: Ui; settings: ProbeSettings }) {
  const facts = settingFacts(ui, settings);
  if (facts.length === 0) return null;
  return (
    <section className="panel mt-4 p-4">
      <h2>{ui.t('targetForm.changedTitle')}</h2>
      <dl className="mt-2 grid gap-x-6 gap-y-2 sm:grid-cols-2 lg:grid-cols-3">
        {facts.map(({ term, value }) => (
          <div key={term} className="min-w-0">
            <dt className="text-[0.86rem] text-muted">{term}</dt>
            <dd className="whitespace-pre-line break-words">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
