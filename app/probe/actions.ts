'use server';

import { revalidatePath } from 'next/cache';
import { redirect } from 'next/navigation';
import type { FormState } from '#components/ui/form.tsx';
import { MAX_MEASUREMENT_VANTAGES, MeasurementCreate } from '#contract/measurement.ts';
import type { Ui } from '#i18n/ui.ts';
import { cancelMeasurement } from '#server/measurements/measurements.ts';
import { vantageLabels } from '#server/vantages/labels.ts';
import { adminAction } from '../access.ts';
import { findIncident } from '../find.ts';
import { refused, refusedByZod } from '../form-state.ts';
import { formList, formUrl } from '../form-text.ts';
import { requestUi } from '../request-ui.ts';
import { namedTargets } from '../targets/named.ts';
import { begin } from './begin.ts';
import { probedOf } from './incident-places.ts';
import { locationsOf } from './locations.ts';

/** Probes a URL from the chosen vantages, and opens the page with the answers. */
export const measureAction = adminAction(async (_before: FormState, form: FormData): Promise<FormState> => {
  const ui = await requestUi();
  // Of very many vantages an even spread.
  const locations = (await locationsOf(formList(form, 'regions'), formList(form, 'carriers'))) ?? [
    { limit: MAX_MEASUREMENT_VANTAGES },
  ];
  if (locations.length === 0) return refused(ui, form, ui.t('measurement.noVantage'), []);
  const parsed = MeasurementCreate.safeParse({ url: formUrl(form, 'url'), locations });
  if (!parsed.success) return refusedByZod(ui, form, parsed.error);
  return await measure(ui, form, parsed.data);
});

/** Probes a target again from the places where an incident has it slow or failing. */
export const probeIncidentAction = adminAction(
  async (incidentId: string, _before: FormState, form: FormData): Promise<FormState> => {
    const [ui, incident, targets, labels] = await Promise.all([
      requestUi(),
      findIncident(incidentId),
      namedTargets(),
      vantageLabels(),
    ]);
    const places = incident && probedOf(incident, new Set(targets.map(({ id }) => id)));
    // Vantages that are gone, or that no prober serves, are left out.
    const vantageIds = (places?.vantageIds ?? []).filter((id) => {
      const vantage = labels.get(id);
      return vantage !== undefined && !vantage.deleted && vantage.proberId !== null;
    });
    return places && vantageIds.length > 0
      ? await measure(ui, form, { ...places, vantageIds })
      : refused(ui, form, ui.t('measurement.noVantage'), []);
  },
);

/** Probes a target from all vantages, of very many from an even spread. */
export const probeTargetAction = adminAction(
  async (targetId: string, _before: FormState, form: FormData): Promise<FormState> =>
    await measure(await requestUi(), form, { targetId, locations: [{ limit: MAX_MEASUREMENT_VANTAGES }] }),
);

/** Creates the measurement and opens its page, or says what was refused. */
async function measure(ui: Ui, form: FormData, input: MeasurementCreate): Promise<FormState> {
  const begun = await begin(ui, form, input);
  if (typeof begun !== 'string') return begun;
  redirect(`/probe/${begun}`);
}

export const cancelMeasurementAction = adminAction(async (form: FormData): Promise<void> => {
  const id = String(form.get('id'));
  await cancelMeasurement(id);
  revalidatePath(`/probe/${id}`);
});
