// Jobs of a program beside Roundtrip. docs/client.md shows them as they stand here, and tests/integration/client.test.ts runs them.
import { answerOf, itemsOf, type RoundtripClient, type Schemas } from './client.ts';

/** Makes a target, or answers the one that an earlier call with the same `once` made: a job may be run again. */
export const makeTarget = (client: RoundtripClient, url: string, once: string) =>
  answerOf(
    client.POST('/api/v1/targets', {
      params: { header: { 'Idempotency-Key': once } },
      body: { url, periodSeconds: 60, vantages: { carriers: ['telecom', 'unicom'] }, tags: ['front'] },
    }),
  );

/** The TLS times (ms) of an hour, page after page; null where no handshake happened. */
export async function tlsTimes(client: RoundtripClient, target: string, from: string): Promise<(number | null)[]> {
  const to = new Date(Date.parse(from) + 3_600_000).toISOString();
  const times: (number | null)[] = [];
  const pages = (cursor?: string) =>
    client.GET('/api/v1/results', { params: { query: { target, from, to, limit: 1_000, cursor } } });
  for await (const { phases } of itemsOf(pages)) times.push(phases.tls);
  return times;
}

/** The 95th percentile of TLS time (ms) of each carrier over the last week, by its name. */
export async function weekByCarrier(client: RoundtripClient, id: string): Promise<Record<string, number | null>> {
  const { data } = await answerOf(
    client.GET('/api/v1/targets/summary', {
      params: { query: { ids: [id], metric: 'tls', stat: 'p95', range: '7d', groupBy: 'carrier' } },
    }),
  );
  return Object.fromEntries(data[0]?.groups.map(({ carrier, value }) => [carrier, value]) ?? []);
}

/** What goes on and nobody has acknowledged, the gravest first. */
export async function openIncidents(client: RoundtripClient): Promise<Schemas['Incident'][]> {
  const pages = (cursor?: string) =>
    client.GET('/api/v1/incidents', { params: { query: { status: ['open'], order: 'impact', cursor } } });
  const incidents: Schemas['Incident'][] = [];
  for await (const incident of itemsOf(pages)) incidents.push(incident);
  return incidents;
}

/** Acknowledges an incident: no more reminders. */
export const acknowledge = (client: RoundtripClient, id: string, note: string) =>
  answerOf(client.PATCH('/api/v1/incidents/{id}', { params: { path: { id } }, body: { action: 'acknowledge', note } }));

/** Marks a deployment, and asks for a comparison of the 20 minutes on either side: the comparison's id. */
export async function markDeployment(client: RoundtripClient, targetId: string, title: string, at: string) {
  const body = { title, targetId, at, compareMinutes: 20 };
  const { comparisonId } = await answerOf(client.POST('/api/v1/markers', { body }));
  return comparisonId;
}

/** What a deployment changed: faster, slower, same or unclear; null while the comparison waits for its later window. */
export async function verdictOf(client: RoundtripClient, id: string) {
  const { headline } = await answerOf(client.GET('/api/v1/comparisons/{id}', { params: { path: { id } } }));
  return headline && { direction: headline.direction, shiftMs: headline.shift?.value ?? null };
}

/** What to change at a target, and the ms of a handshake that it saves, the largest gain first. */
export async function advice(client: RoundtripClient, id: string, range: { from: string; to: string }) {
  const params = { path: { id }, query: range };
  const { data } = await answerOf(client.GET('/api/v1/targets/{id}/advice', { params }));
  return data.map(({ code, title, savesMs }) => ({ code, title, savesMs: savesMs.handshake }));
}

/** Makes a webhook and sends it a test: the secret that verifies messages, shown here alone, and the delivery to look after. */
export async function makeWebhook(client: RoundtripClient, url: string) {
  const { id, secret } = await answerOf(client.POST('/api/v1/webhooks', { body: { url } }));
  const delivery = await answerOf(client.POST('/api/v1/webhooks/{id}/test', { params: { path: { id } } }));
  return { secret, deliveryId: delivery.id };
}

/** All results since an instant as CSV, as they come: pipe it into a file. NDJSON and Parquet are other values of `format`. */
export const csvSince = (client: RoundtripClient, target: string, from: string) =>
  answerOf(
    client.GET('/api/v1/exports/results', { params: { query: { target, from, format: 'csv' } }, parseAs: 'stream' }),
  );

/** Probes an address now from the vantages of a carrier: its id, under which answers are read as they come. */
export async function probeNow(client: RoundtripClient, body: Schemas['MeasurementCreate']): Promise<string> {
  return (await answerOf(client.POST('/api/v1/measurements', { body }))).id;
}
