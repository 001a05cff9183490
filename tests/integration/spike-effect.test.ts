import { afterAll, beforeAll, expect, it } from 'vitest';
import { getPrisma } from '#server/database/database.ts';
import { listIncidents } from '#server/incidents/incidents.ts';
import { createDetectionJob, GRACE_SECONDS } from '#server/pipeline/pipeline.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { detectUntil, HOUR, incidentsMade, noise } from '../support/detecting.ts';
import { writeHistory } from '../support/history.ts';
import { insertTarget } from '../support/places.ts';
import { makeVantage } from '../support/vantages.ts';

const vantages = ['CN-BJ', 'CN-GD', 'CN-HB'].map((region) => makeVantage(region, 'telecom'));
/** A Wednesday's early afternoon in China. */
const SPIKE_AT = Date.UTC(2026, 10, 18, 5) / 1_000;
const MINUTE = 60;
const LASTS = 7 * MINUTE;
const SLOWER_MS = 57;

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase(vantages);
  const targetId = await insertTarget();
  const noisy = noise(5);
  const checks = vantages.map((vantage) => ({ targetId, vantage }));
  const range = { from: SPIKE_AT - 8 * HOUR, to: SPIKE_AT + 2 * HOUR, period: 30 };
  await writeHistory(checks, range, (_check, at) => ({
    rtt: noisy(40),
    tls: noisy(45) + (at >= SPIKE_AT && at < SPIKE_AT + LASTS ? SLOWER_MS : 0),
  }));
});
afterAll(() => database.drop());

it("a spike's effect is that of the time it lasted, also while it waits to close and after its end", {
  timeout: 300_000,
}, async () => {
  const job = createDetectionJob();
  const effects: Record<string, number[]> = { during: [], quiet: [], resolved: [] };
  const query = { limit: 10 };
  // As it goes: a look a minute.
  for (let now = SPIKE_AT + 5 * MINUTE; now <= SPIKE_AT + HOUR; now += MINUTE) {
    await detectUntil(job, now + GRACE_SECONDS);
    const [incident] = (await listIncidents(query)).data;
    const phase = incident?.status === 'resolved' ? 'resolved' : incident?.quietSince ? 'quiet' : 'during';
    effects[phase]?.push(incident?.effectMs ?? 0);
    if (phase !== 'quiet') continue;
    const quiet = Date.parse(incident?.quietSince ?? '') / 1_000;
    expect(Math.abs(quiet - (SPIKE_AT + LASTS))).toBeLessThan(2 * MINUTE);
    expect(Date.parse(incident?.closesAt ?? '') / 1_000).toBe(quiet + 30 * MINUTE);
  }
  await job.close();

  expect(effects.quiet?.length).toBeGreaterThan(20);
  expect(effects.resolved?.length).toBeGreaterThan(5);
  for (const effect of Object.values(effects).flat()) {
    expect(effect).toBeGreaterThan(0.9 * SLOWER_MS);
    expect(effect).toBeLessThan(1.1 * SLOWER_MS);
  }
  expect(await incidentsMade()).toMatchObject([{ kind: 'spike', status: 'resolved', resolution: 'recovered' }]);
  const [{ cells = [] } = {}] = (await listIncidents(query)).data;
  expect(cells.every(({ quietSince }) => quietSince === null)).toBe(true);
  expect(await getPrisma().incident.count()).toBe(1);
});
