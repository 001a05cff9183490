import type { Operation } from './operation.ts';
import * as access from './operations/access.ts';
import * as alertRules from './operations/alert-rules.ts';
import * as comparisons from './operations/comparisons.ts';
import * as configuration from './operations/configuration.ts';
import * as deliveries from './operations/deliveries.ts';
import * as events from './operations/events.ts';
import * as exports from './operations/exports.ts';
import * as imports from './operations/imports.ts';
import * as incidents from './operations/incidents.ts';
import * as markers from './operations/markers.ts';
import * as measurements from './operations/measurements.ts';
import * as prober from './operations/prober.ts';
import * as results from './operations/results.ts';
import * as silences from './operations/silences.ts';
import * as statistics from './operations/statistics.ts';
import * as statusPages from './operations/status-pages.ts';
import * as system from './operations/system.ts';
import * as targets from './operations/targets.ts';
import * as vantages from './operations/vantages.ts';
import * as webhooks from './operations/webhooks.ts';

/** Every operation, in the order of the document. What serves each: server/api. */
export const OPERATIONS = [
  targets.listTargets,
  targets.createTarget,
  targets.getTarget,
  targets.updateTarget,
  targets.deleteTarget,
  statistics.getTargetFigures,
  statistics.getStaples,
  statistics.getFailures,
  statistics.getAdvice,
  vantages.listVantages,
  vantages.getVantage,
  vantages.updateVantage,
  vantages.deleteVantage,
  vantages.createEnrolment,
  vantages.renewEnrolment,
  results.listResults,
  results.getResult,
  exports.exportResults,
  imports.importMeasurements,
  statistics.getSeries,
  statistics.getMatrix,
  statistics.getDistribution,
  statistics.getMakeup,
  measurements.listMeasurements,
  measurements.createMeasurement,
  measurements.getMeasurement,
  measurements.cancelMeasurement,
  measurements.shareMeasurement,
  measurements.unshareMeasurement,
  incidents.listRegressions,
  incidents.listIncidents,
  incidents.getIncident,
  incidents.updateIncident,
  incidents.listDetections,
  events.getEvents,
  markers.listMarkers,
  markers.createMarker,
  markers.getMarker,
  markers.deleteMarker,
  comparisons.listComparisons,
  comparisons.createComparison,
  comparisons.getComparison,
  exports.exportComparison,
  comparisons.deleteComparison,
  comparisons.shareComparison,
  comparisons.unshareComparison,
  alertRules.listAlertRules,
  alertRules.createAlertRule,
  alertRules.previewAlertRule,
  alertRules.getAlertRule,
  alertRules.updateAlertRule,
  alertRules.deleteAlertRule,
  silences.listSilences,
  silences.createSilence,
  silences.getSilence,
  silences.updateSilence,
  silences.deleteSilence,
  webhooks.listWebhooks,
  webhooks.createWebhook,
  webhooks.getWebhook,
  webhooks.updateWebhook,
  webhooks.deleteWebhook,
  webhooks.rotateWebhookSecret,
  webhooks.testWebhook,
  webhooks.previewWebhook,
  webhooks.previewWebhookDraft,
  deliveries.listDeliveries,
  deliveries.getDelivery,
  deliveries.replayDelivery,
  statusPages.listStatusPages,
  statusPages.createStatusPage,
  statusPages.deleteStatusPage,
  access.listKeys,
  access.createKey,
  access.deleteKey,
  access.getSession,
  access.createSession,
  access.deleteSession,
  access.listSessions,
  access.deleteSessions,
  access.changePassword,
  system.getDemo,
  system.deleteDemo,
  system.getRetention,
  system.updateRetention,
  system.getAudience,
  system.updateAudience,
  system.resetAudience,
  system.getOpenApi,
  prober.enrolProber,
  prober.getAssignments,
  prober.ingestResults,
  measurements.getTasks,
  measurements.submitAnswers,
  system.getHealth,
  system.getReady,
  system.getMetrics,
  system.getProbeMetrics,
  configuration.getConfiguration,
  configuration.getConfigurationSchema,
  configuration.putConfiguration,
] as const satisfies readonly Operation[];
