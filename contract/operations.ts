import type { Operation } from './operation.ts';
import {
  changePassword,
  createKey,
  createSession,
  deleteKey,
  deleteSession,
  deleteSessions,
  getSession,
  listKeys,
  listSessions,
} from './operations/access.ts';
import {
  createAlertRule,
  deleteAlertRule,
  getAlertRule,
  listAlertRules,
  updateAlertRule,
} from './operations/alert-rules.ts';
import { getDelivery, listDeliveries, replayDelivery } from './operations/deliveries.ts';
import { getIncident, listIncidents, listRegressions, updateIncident } from './operations/incidents.ts';
import { createMarker, deleteMarker, getMarker, listMarkers } from './operations/markers.ts';
import { enrolProber, getAssignments, ingestResults } from './operations/prober.ts';
import { getResult, listResults } from './operations/results.ts';
import { createSilence, deleteSilence, getSilence, listSilences, updateSilence } from './operations/silences.ts';
import { getMatrix, getSeries, getStaples } from './operations/statistics.ts';
import { deleteDemo, getDemo, getHealth, getMetrics, getOpenApi, getReady } from './operations/system.ts';
import { createTarget, deleteTarget, getTarget, listTargets, updateTarget } from './operations/targets.ts';
import { createEnrolment, deleteVantage, getVantage, listVantages, updateVantage } from './operations/vantages.ts';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  previewWebhook,
  previewWebhookDraft,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from './operations/webhooks.ts';

/** Every operation, in the order of the document. */
export const OPERATIONS: readonly Operation[] = [
  listTargets,
  createTarget,
  getTarget,
  updateTarget,
  deleteTarget,
  getStaples,
  listVantages,
  getVantage,
  updateVantage,
  deleteVantage,
  createEnrolment,
  listResults,
  getResult,
  getSeries,
  getMatrix,
  listRegressions,
  listIncidents,
  getIncident,
  updateIncident,
  listMarkers,
  createMarker,
  getMarker,
  deleteMarker,
  listAlertRules,
  createAlertRule,
  getAlertRule,
  updateAlertRule,
  deleteAlertRule,
  listSilences,
  createSilence,
  getSilence,
  updateSilence,
  deleteSilence,
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  previewWebhook,
  previewWebhookDraft,
  listDeliveries,
  getDelivery,
  replayDelivery,
  listKeys,
  createKey,
  deleteKey,
  getSession,
  createSession,
  deleteSession,
  listSessions,
  deleteSessions,
  changePassword,
  getDemo,
  deleteDemo,
  getOpenApi,
  enrolProber,
  getAssignments,
  ingestResults,
  getHealth,
  getReady,
  getMetrics,
];
