import { expect, it } from 'vitest';
import type { EnrolResponse, IngestReport } from '#contract/ingest.ts';
import type { Enrolment } from '#contract/vantage.ts';
import { BATCH_MS, WATCHED_BATCH_MS } from '#server/monitoring/watching.ts';
import { asker } from '../support/openapi.ts';
import { prepareApi } from '../support/prepare.ts';

// In the built web process, where pages and routes each have modules of their own.

const api = prepareApi({ ROUNDTRIP_PUBLIC_DASHBOARD: '1' });

it('probers are asked for batches sooner once somebody opens a page', async () => {
  const { baseUrl } = api.server;
  const place = { name: 'Guangdong Telecom', region: 'CN-GD', carrier: 'telecom' };
  const { token } = (await api.ask('POST', '/api/v1/enrolments', { body: place })).json as Enrolment;
  const body = { token, engineVersion: 1 };
  const { credential } = (await asker(baseUrl)('POST', '/api/ingest/enrol', { body })).json as EnrolResponse;
  const asked = async () => {
    const counts = { checks: 0, threads: 1, started: 0, missed: 0, retaken: 0, unclean: 0, dropped: 0 };
    const report = { since: new Date().toISOString(), ...counts };
    const answer = await asker(baseUrl, credential)('POST', '/api/ingest/results', { body: { results: [], report } });
    return (answer.json as IngestReport).nextBatchMs;
  };
  expect(await asked()).toBe(BATCH_MS);
  expect((await fetch(baseUrl)).status).toBe(200);
  expect(await asked()).toBe(WATCHED_BATCH_MS);
});
