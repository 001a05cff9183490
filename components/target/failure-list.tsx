import type { Location } from '#contract/extent.ts';
import type { FailureSum } from '#contract/failure.ts';
import { failureSentence } from '#i18n/incident.ts';
import type { Ui } from '#i18n/ui.ts';

/** So many kinds of failure are told; the rest are among the single results. */
const KINDS = 4;

type Props = { ui: Ui; failures: FailureSum[]; places: readonly Location[]; now: number };

/** Why a target's probes fail, a sentence each, the commonest first; nothing where none failed. */
export function FailureList({ ui, failures, places, now }: Props) {
  return failures.slice(0, KINDS).map((failure) => (
    <li key={`${failure.source} ${failure.phase} ${failure.reason}`} className="py-0.5">
      <span className={failure.source === 'prober' ? 'text-muted' : 'text-bad'}>
        {failureSentence(ui, failure, places, now)}
      </span>
    </li>
  ));
}
