import { formatChange } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { CHANGE_EDGES } from './change-scale.ts';

/** The steps of a change with their edges, as items of a legend. */
export function ChangeSteps({ ui }: { ui: Ui }) {
  const [low = 0, , below = 0, above = 0, , high = 0] = CHANGE_EDGES;
  const said: Record<number, string> = {
    0: `< ${formatChange(ui.locale, low)}`,
    3: `${formatChange(ui.locale, below)} … ${formatChange(ui.locale, above)}`,
    6: `≥ ${formatChange(ui.locale, high)}`,
  };
  return [0, 1, 2, 3, 4, 5, 6].map((step) => (
    <li key={step} className={`change-${step} px-1.5 leading-5 first:rounded-l`}>
      {said[step] ?? <span aria-hidden="true">&nbsp;</span>}
    </li>
  ));
}
