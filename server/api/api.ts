// The REST API: what serves each operation of contract/operations. What all of them have in common (access, limits, parsing,
// problems) is done by `handle` (http/http.ts); what HTTP wants of a single one stands here, everything else is done in the
// rooms below. All requests for `/api` and `/metrics` come here (http/server.ts), past Next. `router.ts` finds the operation.

import type { ComparisonDetail } from '#contract/comparison.ts';
import { configurationSchema } from '#contract/configuration.ts';
import { BATCH_FORM } from '#contract/ingest.ts';
import { OPERATIONS } from '#contract/operations.ts';
import type { Session } from '#contract/session.ts';
import { authorise, nameOf, sessionCookieOf, setCookies, signInFrom, viewerOf } from '#server/access/access.ts';
import { createKey, listKeys, revokeKey } from '#server/access/keys.ts';
import { refuseForeignOrigin } from '#server/access/origin.ts';
import { changePassword, listSessions, signIn, signOut, signOutEverywhere } from '#server/access/session.ts';
import { queryAdvice } from '#server/advice/advice.ts';
import { createComparison, deleteComparison, getComparison, listComparisons } from '#server/comparisons/comparisons.ts';
import { comparisonCsv } from '#server/comparisons/csv.ts';
import { shareComparison, unshareComparison } from '#server/comparisons/share.ts';
import { applyConfiguration, exportConfiguration } from '#server/configuration/configuration.ts';
import { readRetention } from '#server/database/disk.ts';
import { changeRetention } from '#server/database/retention.ts';
import { demoState, removeDemo } from '#server/demo/demo.ts';
import { environment } from '#server/environment/environment.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { followEvents } from '#server/events/events.ts';
import { queryDistribution } from '#server/figures/distribution.ts';
import { queryFailures } from '#server/figures/failures.ts';
import { queryMakeup } from '#server/figures/makeup.ts';
import { queryMatrix } from '#server/figures/matrix.ts';
import { querySeries } from '#server/figures/series.ts';
import { queryStaples } from '#server/figures/staples.ts';
import { queryTargetFigures } from '#server/figures/target-figures.ts';
import { answerDocs } from '#server/http/docs-page.ts';
import { eventStream } from '#server/http/event-stream.ts';
import { handle, type Serve } from '#server/http/http.ts';
import { openApiDocument } from '#server/http/openapi.ts';
import { importMeasurements } from '#server/imports/imports.ts';
import { updateIncident } from '#server/incidents/by-hand.ts';
import { listDetections } from '#server/incidents/detections.ts';
import { getIncident, listIncidents, listRegressions } from '#server/incidents/incidents.ts';
import { createSilence, deleteSilence, getSilence, listSilences, updateSilence } from '#server/incidents/silences.ts';
import { ingestBatch } from '#server/ingest/ingest.ts';
import { createMarker, deleteMarker, getMarker, listMarkers } from '#server/markers/markers.ts';
import { followMeasurement } from '#server/measurements/events.ts';
import { cancelMeasurement, createMeasurement, creatorOf } from '#server/measurements/measurements.ts';
import { getMeasurement, listMeasurements } from '#server/measurements/read.ts';
import { shareMeasurement, unshareMeasurement } from '#server/measurements/share.ts';
import { storeAnswers, takeTasks } from '#server/measurements/tasks.ts';
import { checkReady } from '#server/monitoring/health.ts';
import { countIngest } from '#server/monitoring/monitoring.ts';
import { probeMetrics } from '#server/monitoring/probes.ts';
import { scrape } from '#server/monitoring/scrape.ts';
import { nextBatchMs } from '#server/monitoring/watching.ts';
import { BOM } from '#server/results/csv.ts';
import { getResultAndFollowers, listResults } from '#server/results/results.ts';
import { replayRule } from '#server/rules/replay.ts';
import {
  createAlertRule,
  deleteAlertRule,
  getAlertRule,
  listAlertRules,
  updateAlertRule,
} from '#server/rules/rules.ts';
import { createStatusPage, deleteStatusPage, listStatusPages } from '#server/targets/status-pages.ts';
import { createTarget, deleteTarget, getTarget, listTargets, updateTarget } from '#server/targets/targets.ts';
import { assignmentsSince } from '#server/vantages/assignments.ts';
import { changeAudience, readAudience, resetAudience } from '#server/vantages/audience.ts';
import { createEnrolment, exchangeToken, renewEnrolment } from '#server/vantages/enrolments.ts';
import { deleteVantage, getVantage, listVantages, updateVantage } from '#server/vantages/vantages.ts';
import { getDelivery, listDeliveries, replayDelivery, testWebhook } from '#server/webhooks/deliveries.ts';
import { previewDraft, previewWebhook } from '#server/webhooks/preview.ts';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
} from '#server/webhooks/webhooks.ts';
import manifest from '../../package.json' with { type: 'json' };
import { download, downloadResults, inPieces } from './download.ts';
import { router } from './router.ts';

type Documented = (typeof OPERATIONS)[number];

/** By the operation's id. An operation that nothing serves, and a function that serves none, do not compile. */
const TABLE: { [O in Documented as O['id']]: Serve<O> } = {
  listTargets: ({ query, caller }) => listTargets(query, viewerOf(caller)),
  createTarget: ({ body }) => createTarget(body),
  getTarget: ({ params, caller }) => getTarget(params.id, viewerOf(caller)),
  updateTarget: ({ params, body }) => updateTarget(params.id, body),
  deleteTarget: ({ params }) => deleteTarget(params.id),

  listVantages: ({ query }) => listVantages(query),
  getVantage: ({ params }) => getVantage(params.id),
  updateVantage: ({ params, body, caller, request }) => {
    if (body.mayHoldSecrets) authorise(caller, 'admin', request);
    return updateVantage(params.id, body);
  },
  deleteVantage: ({ params }) => deleteVantage(params.id),
  createEnrolment: ({ body, caller, request }) => {
    if (body.mayHoldSecrets) authorise(caller, 'admin', request);
    return createEnrolment(body);
  },
  renewEnrolment: ({ params, body, caller, request }) =>
    // The holder of the token of a marked vantage receives the secrets of targets.
    renewEnrolment(params.id, body, (mayHoldSecrets) => {
      if (mayHoldSecrets) authorise(caller, 'admin', request);
    }),

  listResults: ({ query, caller }) =>
    query.format === 'json'
      ? listResults(query, viewerOf(caller))
      : downloadResults(query, query.format, viewerOf(caller)),
  exportResults: ({ query, caller }) => downloadResults(query, query.format, viewerOf(caller)),
  importMeasurements: ({ body }) => importMeasurements(body),
  getResult: ({ params, caller }) => getResultAndFollowers(params.id, viewerOf(caller)),

  getTargetFigures: ({ query }) => queryTargetFigures(query),
  getSeries: ({ query }) => querySeries(query),
  getMatrix: ({ query }) => queryMatrix(query),
  getDistribution: ({ query }) => queryDistribution(query),
  getMakeup: ({ query }) => queryMakeup(query),
  getStaples: ({ params, query }) => queryStaples(params.id, query),
  getFailures: ({ params, query }) => queryFailures(params.id, query),
  getAdvice: ({ params, query }) => queryAdvice(params.id, query),

  listMeasurements: ({ query, caller }) => listMeasurements(query, viewerOf(caller)),
  createMeasurement: ({ body, caller }) => createMeasurement(body, creatorOf(caller)),
  getMeasurement: ({ params, caller, request }) =>
    /\btext\/event-stream\b/i.test(request.headers.get('accept') ?? '')
      ? eventStream({ request, caller }, ({ signal, after }) =>
          followMeasurement(params.id, viewerOf(caller), signal, after),
        )
      : getMeasurement(params.id, viewerOf(caller)),
  cancelMeasurement: ({ params }) => cancelMeasurement(params.id),
  shareMeasurement: ({ params }) => shareMeasurement(params.id),
  unshareMeasurement: ({ params }) => unshareMeasurement(params.id),
  getTasks: ({ prober, request }) => takeTasks(prober, request.signal),
  submitAnswers: ({ prober, body }) => storeAnswers(prober, body),

  listRegressions: ({ query }) => listRegressions(query),
  listIncidents: ({ query }) => listIncidents(query),
  getIncident: ({ params }) => getIncident(params.id),
  updateIncident: ({ params, body, caller }) => updateIncident(params.id, body, nameOf(caller)),
  listDetections: ({ query }) => listDetections(query),
  getEvents: ({ query, ...call }) => eventStream(call, (streaming) => followEvents(query, streaming)),

  listMarkers: ({ query, caller }) => listMarkers(query, viewerOf(caller)),
  createMarker: ({ body, caller }) => createMarker(body, nameOf(caller)),
  getMarker: ({ params, caller }) => getMarker(params.id, viewerOf(caller)),
  deleteMarker: ({ params }) => deleteMarker(params.id),

  listComparisons: ({ query }) => listComparisons(query),
  createComparison: ({ body, caller }) => createComparison(body, nameOf(caller)),
  getComparison: async ({ params, query: { format, bom } }) => {
    const comparison = await getComparison(params.id);
    return format === 'json' ? comparison : downloadComparison(comparison, bom);
  },
  exportComparison: async ({ params, query: { bom } }) => downloadComparison(await getComparison(params.id), bom),
  deleteComparison: ({ params }) => deleteComparison(params.id),
  shareComparison: ({ params }) => shareComparison(params.id),
  unshareComparison: ({ params }) => unshareComparison(params.id),

  getConfiguration: () => exportConfiguration(),
  putConfiguration: ({ body, query, caller }) => applyConfiguration(body, query, nameOf(caller)),

  listAlertRules: ({ query }) => listAlertRules(query),
  createAlertRule: ({ body }) => createAlertRule(body),
  previewAlertRule: async ({ body }) => ({ replay: await replayRule(body, new Date()) }),
  getAlertRule: ({ params }) => getAlertRule(params.id),
  updateAlertRule: ({ params, body }) => updateAlertRule(params.id, body),
  deleteAlertRule: ({ params }) => deleteAlertRule(params.id),

  listSilences: ({ query }) => listSilences(query),
  createSilence: ({ body, caller }) => createSilence(body, nameOf(caller)),
  getSilence: ({ params }) => getSilence(params.id),
  updateSilence: ({ params, body }) => updateSilence(params.id, body),
  deleteSilence: ({ params }) => deleteSilence(params.id),

  listWebhooks: ({ query, caller }) => listWebhooks(query, viewerOf(caller)),
  createWebhook: ({ body }) => createWebhook(body),
  getWebhook: ({ params, caller }) => getWebhook(params.id, viewerOf(caller)),
  updateWebhook: ({ params, body }) => updateWebhook(params.id, body),
  deleteWebhook: ({ params }) => deleteWebhook(params.id),
  rotateWebhookSecret: ({ params, body }) => rotateSecret(params.id, body),
  testWebhook: ({ params }) => testWebhook(params.id),
  previewWebhook: ({ params, query, caller }) => previewWebhook(params.id, query, viewerOf(caller)),
  previewWebhookDraft: ({ body }) => previewDraft(body),

  listDeliveries: ({ params, query }) => listDeliveries(params.id, query),
  getDelivery: ({ params, caller }) => getDelivery(params.id, viewerOf(caller)),
  replayDelivery: ({ params }) => replayDelivery(params.id),

  listStatusPages: ({ query }) => listStatusPages(query),
  createStatusPage: ({ body }) => createStatusPage(body),
  deleteStatusPage: ({ params }) => deleteStatusPage(params.id),

  listKeys: ({ query }) => listKeys(query),
  createKey: ({ body }) => createKey(body),
  deleteKey: ({ params }) => revokeKey(params.id),
  getSession: ({ caller }) => session(caller.kind !== 'anonymous', caller.scope),
  createSession: async ({ request, body }) => {
    // A script sends no Origin; a page of another site does, and must not sign anybody in.
    refuseForeignOrigin(request);
    const signedIn = await signIn(body.password, signInFrom(request));
    const response = Response.json(session(true, 'admin'));
    setCookies(response.headers, signedIn, request);
    return response;
  },
  deleteSession: async ({ request }) => {
    refuseForeignOrigin(request);
    await signOut(sessionCookieOf(request));
    const response = new Response(null, { status: 204 });
    setCookies(response.headers, null, request);
    return response;
  },
  listSessions: async ({ caller }) => ({ data: await listSessions(caller.session?.id ?? null) }),
  deleteSessions: () => signOutEverywhere(),
  changePassword: ({ caller, body: { currentPassword, newPassword } }) =>
    changePassword(newPassword, { session: caller.session, currentPassword }),

  getDemo: () => demoState(),
  deleteDemo: () => removeDemo(),
  getRetention: () => readRetention(),
  updateRetention: async ({ body }) => {
    await changeRetention(body);
    return await readRetention();
  },
  getAudience: () => readAudience(),
  updateAudience: ({ body }) => changeAudience(body),
  resetAudience: () => resetAudience(),
  getConfigurationSchema: () => Response.json(configurationSchema()),
  getOpenApi: () => Response.json(openApiDocument()),
  getHealth: () => ({ status: 'ok', version: manifest.version }),
  getReady: async ({ query }) => {
    const readiness = await checkReady(query.part);
    if (!readiness.ready) throw new ServiceError('unavailable', readiness.reason ?? 'Not ready.');
    return readiness;
  },
  getMetrics: async ({ request }) => new Response(await scrape(request), { headers: PROMETHEUS_TEXT }),
  getProbeMetrics: async ({ query }) =>
    new Response(await inPieces(await probeMetrics(query)), { headers: PROMETHEUS_TEXT }),

  enrolProber: ({ body }) => exchangeToken(body),
  getAssignments: ({ prober, query }) => assignmentsSince(prober, query.since ?? null),
  ingestResults: async ({ prober, body }) => {
    const report = await ingestBatch(prober, body);
    countIngest(report);
    return { ...report, batchForm: BATCH_FORM, nextBatchMs: await nextBatchMs() };
  },
};

const downloadComparison = (comparison: ComparisonDetail, bom?: boolean) =>
  download(`${bom ? BOM : ''}${comparisonCsv(comparison)}`, 'comparison', 'csv');

const PROMETHEUS_TEXT = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };

const session = (signedIn: boolean, scope: Session['scope']): Session => ({
  signedIn,
  scope,
  publicDashboard: environment().ROUNDTRIP_PUBLIC_DASHBOARD,
});

const operate = router(OPERATIONS.map((operation) => handle(operation, TABLE[operation.id])));

/** The answer to any request for the API, a problem where there is nothing else to say. */
export const answer = async (request: Request, method = request.method): Promise<Response> =>
  (await answerDocs(request, method)) ?? (await operate(request, method));
