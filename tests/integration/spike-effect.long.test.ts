import { afterAll, beforeAll, expect, it } from 'vitest';
import { getPrisma } from '#server/database/database.ts';
import { listIncidents } from '#server/incidents/incidents.ts';
import { createDetectionJob } from '#server/pipeline/pipeline.ts';
import { GRACE_SECONDS } from '#server/vantages/delivered.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { detectUntil, HOUR, incidentsMade, noise } from '../support/detecting.ts';
import { chance, type Measured, writeHistory } from '../support/history.ts';
import { insertTarget } from '../support/places.ts';
import { makeVantage } from '../support/vantages.ts';

/** A Wednesday's early afternoon in China. */
const SPIKE_AT = Date.UTC(2026, 10, 18, 5) / 1_000;
const MINUTE = 60;
const SLOWER_MS = 57;

type World = {
  carrier: string;
  /** Minutes. */
  lasts: number;
  /** Milliseconds of TLS without the spike, and what share of its height there is so many minutes after the onset. */
  usual: () => number;
  height: (minutes: number) => number;
};
const [noisy, random] = [noise(5), chance(11)];
const WORLDS: Record<string, World> = {
  short: { carrier: 'telecom', lasts: 7, usual: () => noisy(45), height: () => 1 },
  // Two handshakes in five take a round trip more.
  'two modes': { carrier: 'unicom', lasts: 25, usual: () => noisy(random() < 0.4 ? 88 : 45), height: () => 1 },
  // One in twenty loses a segment, and the queue fills for three minutes.
  queue: {
    carrier: 'mobile',
    lasts: 30,
    usual: () => noisy(noisy(noisy(45))) + (random() < 0.05 ? 200 : 0),
    height: (minutes) => Math.min(1, minutes / 3, (30 - minutes) / 3),
  },
};
const REGIONS = ['CN-BJ', 'CN-GD', 'CN-HB'];

let database: TestDatabase;
const targets = new Map<string, string>();
beforeAll(async () => {
  const vantages = Object.values(WORLDS).flatMap(({ carrier }) =>
    REGIONS.map((region) => makeVantage(region, carrier)),
  );
  database = await testDatabase(vantages);
  for (const [name, { carrier, lasts, usual, height }] of Object.entries(WORLDS)) {
    const targetId = await insertTarget({ name });
    targets.set(targetId, name);
    const checks = vantages.filter((each) => each.carrier === carrier).map((vantage) => ({ targetId, vantage }));
    const measure = (_check: unknown, at: number): Measured => {
      const minutes = (at - SPIKE_AT) / MINUTE;
      return { rtt: noisy(40), tls: usual() + (minutes >= 0 && minutes < lasts ? SLOWER_MS * height(minutes) : 0) };
    };
    await writeHistory(checks, { from: SPIKE_AT - 8 * HOUR, to: SPIKE_AT + 90 * MINUTE, period: 30 }, measure);
  }
}, 300_000);
afterAll(() => database.drop());

it("a spike's effect is within a tenth of the final one from its second minute on, also while it waits to close and after its end", {
  timeout: 300_000,
}, async () => {
  const job = createDetectionJob();
  const shown = new Map<string, { minute: number; effect: number; phase: string }[]>();
  // As it goes: a look a minute, or every second one.
  for (let now = SPIKE_AT + 2 * MINUTE; now <= SPIKE_AT + 70 * MINUTE; now += 1 * MINUTE) {
    await detectUntil(job, now + GRACE_SECONDS);
    for (const { targetId, openedAt, status, quietSince, closesAt, effectMs } of (await listIncidents({ limit: 10 }))
      .data) {
      const name = targets.get(targetId ?? '') ?? '';
      const phase = status === 'resolved' ? 'resolved' : quietSince ? 'quiet' : 'during';
      const minute = (now - Date.parse(openedAt) / 1_000) / MINUTE;
      shown.set(name, [...(shown.get(name) ?? []), { minute, effect: effectMs ?? 0, phase }]);
      if (phase !== 'quiet' || name !== 'short') continue;
      const quiet = Date.parse(quietSince ?? '') / 1_000;
      expect(Math.abs(quiet - (SPIKE_AT + 7 * MINUTE))).toBeLessThan(2 * MINUTE);
      expect(Date.parse(closesAt ?? '') / 1_000).toBe(quiet + 30 * MINUTE);
    }
  }
  await job.close();

  expect(new Set(shown.keys())).toEqual(new Set(Object.keys(WORLDS)));
  for (const [name, looks] of shown) {
    const final = looks.at(-1)?.effect ?? 0;
    const judged = looks.filter(({ minute }) => minute >= 2);
    const off = judged.map(({ effect }) => Math.abs(effect / final - 1)).toSorted((a, b) => a - b);
    const p95 = off[Math.ceil(0.95 * off.length) - 1] ?? 1;
    console.info(
      `${name}: ${final.toFixed(1)} ms; of ${off.length} looks p95 ${(100 * p95).toFixed(1)}%, most ${(100 * (off.at(-1) ?? 1)).toFixed(1)}%`,
    );
    for (const phase of ['during', 'quiet', 'resolved'])
      expect(judged.filter((look) => look.phase === phase).length, `${name} ${phase}`).toBeGreaterThan(1);
    expect(Math.abs(final / SLOWER_MS - 1), name).toBeLessThan(0.1);
    expect(p95, name).toBeLessThan(0.1);
  }
  expect(await incidentsMade()).toMatchObject(
    Array.from({ length: 3 }, () => ({ kind: 'spike', status: 'resolved', resolution: 'recovered' })),
  );
  const { data } = await listIncidents({ limit: 10 });
  expect(data.flatMap(({ cells }) => cells).every(({ quietSince }) => quietSince === null)).toBe(true);
  expect(await getPrisma().incident.count()).toBe(3);
});
