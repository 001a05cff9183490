import { summaryText } from '#components/measurement/answer.ts';
import type { Probed } from '#components/measurement/probe-first.tsx';
import type { FormState } from '#components/ui/form.tsx';
import type { MeasurementCreate } from '#contract/measurement.ts';
import { matches } from '#contract/scope.ts';
import type { Ui } from '#i18n/ui.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { ableVantages, spread } from '#server/measurements/choose.ts';
import { awaitAnswers } from '#server/measurements/events.ts';
import { createMeasurement } from '#server/measurements/measurements.ts';
import { vantageLabels } from '#server/vantages/labels.ts';
import { refused, refusedByServer } from '../form-state.ts';

/** The creator of all measurements of the dashboard, which share one limit. */
const DASHBOARD = { name: 'dashboard', limitBy: 'dashboard', viewer: 'editor' } as const;
/** Of those that try what a form says: they may have other settings than the target, so they are not shown as its. */
const TRIALS = { ...DASHBOARD, name: 'target form' } as const;

/** Creates a measurement and returns its id, or what was refused; of places in the words of the form. */
export async function begin(
  ui: Ui,
  form: FormData,
  input: MeasurementCreate,
  creator: typeof DASHBOARD | typeof TRIALS = DASHBOARD,
): Promise<string | FormState> {
  try {
    return (await createMeasurement(input, creator)).id;
  } catch (error) {
    const isAboutPlaces =
      error instanceof ServiceError && error.fields?.some(({ field }) => /^(locations|vantageIds)/.test(field));
    return isAboutPlaces ? refused(ui, form, ui.t('measurement.noVantage'), []) : refusedByServer(ui, form, error);
  }
}

/** Where a form says that is probed: regions and carriers, none of which is all of them. */
type Places = { regions: readonly string[]; carriers: readonly string[] };
/** So long (ms) a form waits for answers, and what else it asks for behind it: those that come later are on the measurement's page. */
const WAIT_MS = 4_000;

/**
 * Probes from at most `most` places of a form, an even spread of them, and says in a line what came. `name` begins the line; `demo`:
 * whether the target is the demo's.
 */
export async function probeFrom(
  ui: Ui,
  form: FormData,
  { regions, carriers }: Places,
  most: number,
  { name, demo, ...input }: Pick<MeasurementCreate, 'url' | 'targetId' | 'settings'> & { name?: string; demo: boolean },
): Promise<Probed> {
  const able = ableVantages([...(await vantageLabels()).values()], demo);
  const scope = { targetIds: [], regions, carriers };
  const places = able.filter(({ region, carrier }) => matches(scope, { targetId: null, region, carrier }));
  const vantageIds = spread(places, most).map(({ id }) => id);
  const begun = await begin(ui, form, { ...input, vantageIds }, input.targetId ? DASHBOARD : TRIALS);
  const named = (text: string | null) => [name, text].filter(Boolean).join(ui.t('punctuation.colon'));
  if (typeof begun !== 'string') return { ...begun, problem: named(begun.problem), lines: [] };
  const text = named(summaryText(ui, await awaitAnswers(begun, 'reader', WAIT_MS)));
  return { problem: null, errors: {}, values: {}, lines: [{ text, href: `/probe/${begun}` }] };
}
