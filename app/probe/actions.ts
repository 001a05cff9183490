'use server';

import { revalidatePath } from 'next/cache';
import { redirect } from 'next/navigation';
import type { FormState } from '#components/ui/form.tsx';
import { MAX_MEASUREMENT_VANTAGES, MeasurementCreate } from '#contract/measurement.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { cancelMeasurement, createMeasurement } from '#server/measurements/measurements.ts';
import { adminAction } from '../access.ts';
import { refused, refusedByServer, refusedByZod } from '../form-state.ts';
import { formList, formText } from '../form-text.ts';
import { requestUi } from '../request-ui.ts';
import { locationsOf } from './locations.ts';

/** The creator of all measurements of the dashboard, which share one limit. */
const DASHBOARD = { name: 'dashboard', limitBy: 'dashboard', viewer: 'editor' } as const;

/** Probes a URL from the chosen vantages, and opens the page with the answers. */
export const measureAction = adminAction(async (_before: FormState, form: FormData): Promise<FormState> => {
  const ui = await requestUi();
  const none = () => refused(ui, form, ui.t('measurement.noVantage'), []);
  // Of very many vantages an even spread.
  const locations = (await locationsOf(formList(form, 'regions'), formList(form, 'carriers'))) ?? [
    { limit: MAX_MEASUREMENT_VANTAGES },
  ];
  if (locations.length === 0) return none();
  const parsed = MeasurementCreate.safeParse({ url: completeUrl(formText(form, 'url') ?? ''), locations });
  if (!parsed.success) return refusedByZod(ui, form, parsed.error);
  let id: string;
  try {
    id = (await createMeasurement(parsed.data, DASHBOARD)).id;
  } catch (error) {
    const isAboutPlaces =
      error instanceof ServiceError && error.fields?.some(({ field }) => /^(locations|vantageIds)/.test(field));
    return isAboutPlaces ? none() : refusedByServer(ui, form, error);
  }
  redirect(`/probe/${id}`);
});

export const cancelMeasurementAction = adminAction(async (form: FormData): Promise<void> => {
  const id = String(form.get('id'));
  await cancelMeasurement(id);
  revalidatePath(`/probe/${id}`);
});

/** A URL as people type it, with the scheme that is meant. */
const completeUrl = (typed: string): string =>
  typed === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`;
