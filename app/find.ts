import { cache } from 'react';
import { z } from 'zod';
import type { AlertRule } from '#contract/alert-rule.ts';
import type { ComparisonDetail } from '#contract/comparison.ts';
import type { DeliveryDetail } from '#contract/delivery.ts';
import type { IncidentDetail } from '#contract/incident.ts';
import type { Measurement } from '#contract/measurement.ts';
import type { Result } from '#contract/result.ts';
import type { Target } from '#contract/target.ts';
import type { Vantage } from '#contract/vantage.ts';
import type { Webhook } from '#contract/webhook.ts';
import { getComparison } from '#server/comparisons/comparisons.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { getIncident } from '#server/incidents/incidents.ts';
import { getMeasurement } from '#server/measurements/read.ts';
import { getResult } from '#server/results/results.ts';
import { getAlertRule } from '#server/rules/rules.ts';
import { getTarget } from '#server/targets/targets.ts';
import { getVantage } from '#server/vantages/vantages.ts';
import { getDelivery } from '#server/webhooks/deliveries.ts';
import { getWebhook } from '#server/webhooks/webhooks.ts';

/** Makes a getter give null for what is not there, and for an id that is none; a page then says "not found". */
function finder<T>(get: (id: string) => Promise<T>): (id: string) => Promise<T | null> {
  return cache(async (id: string) => {
    if (!z.uuid().safeParse(id).success) return null;
    try {
      return await get(id);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found') return null;
      throw error;
    }
  });
}

export const findTarget = finder<Target>((id) => getTarget(id));
/** With what only those may see who may change it. */
export const findTargetToEdit = finder<Target>((id) => getTarget(id, 'editor'));
export const findVantage = finder<Vantage>(getVantage);
export const findIncident = finder<IncidentDetail>((id) => getIncident(id));
export const findAlertRule = finder<AlertRule>(getAlertRule);
export const findWebhook = finder<Webhook>((id) => getWebhook(id));
/** With what only those may see who may change it. */
export const findWebhookToEdit = finder<Webhook>((id) => getWebhook(id, 'editor'));
export const findDelivery = finder<DeliveryDetail>((id) => getDelivery(id));
/** With what only those may see who may change its webhook. */
export const findDeliveryToEdit = finder<DeliveryDetail>((id) => getDelivery(id, 'editor'));
export const findComparison = finder<ComparisonDetail>(getComparison);
export const findMeasurement = finder<Measurement>((id) => getMeasurement(id, 'reader'));
export const findResult = finder<Result>((id) => getResult(id));
