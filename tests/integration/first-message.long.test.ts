import { expect, it } from 'vitest';
import { getPool, getPrisma } from '#server/database/database.ts';
import { sweepIncidents } from '#server/incidents/sweep.ts';
import { createDetectionJob } from '#server/pipeline/pipeline.ts';
import { bodyOf, makeWebhook, pump, TestClock } from '../support/deliveries.ts';
import { detectUntil, HOUR, noise } from '../support/detecting.ts';
import { writeHistory } from '../support/history.ts';
import { FRIDAY } from '../support/instants.ts';
import { prepareOutbox } from '../support/outbox.ts';
import { assignAll, insertProber, insertTarget } from '../support/places.ts';
import { mainlandVantages } from '../support/vantages.ts';

// From a change to the message about it, at 93 vantages (a third of them, where time is short) that are measured every 30 seconds: the detection job, the sweep and the deliveries
// run on a clock that is set forward; the database, the detector and the receiver are real. Probers send every 10 seconds, as while nobody
// looks at figures, and every second once the detector has found something, from their next batch on; each says how far it is.

const PERIOD = 30;
const BATCH = 10;
/** How often the job and the sweep look: the longer of the two pauses. */
const STEP = 3;
/** The aim: sixty seconds from the change, of which probes and their pooling take a period. docs/benchmarks.md. */
const LIMIT = 60;
/** Until then every series has been measured often enough to belong to the incident. */
const FINAL = 5 * PERIOD;
const CARRIERS = ['telecom', 'unicom', 'mobile'];
const vantages = mainlandVantages().slice(0, 93);
const CHANGE = FRIDAY / 1_000;

const { receive } = prepareOutbox();

type Case = { name: string; slow: (carrier: string) => { rtt: number; tls: number } };
const CASES: Case[] = [
  {
    name: 'a carrier is congested',
    slow: (carrier) => (carrier === 'unicom' ? { rtt: 1.8, tls: 1.8 } : { rtt: 1, tls: 1 }),
  },
  { name: 'a handshake takes one more round trip', slow: () => ({ rtt: 1, tls: 2 }) },
];

it.each(CASES)(
  'a message names the final cause and nine in ten of the series within a minute: $name',
  { timeout: 600_000 },
  async ({ slow }) => {
    await getPool().query('delete from prober_report');
    await getPool().query('truncate incident, detection, delivery, detector_tick, detector_checkpoint, result cascade');
    await getPool().query('delete from vantage');
    await getPool().query('delete from prober');
    await getPool().query('update target set deleted_at = now()');
    const receiver = await receive();
    await makeWebhook({ url: receiver.url });
    const probers: string[] = [];
    for (const carrier of CARRIERS)
      probers.push(await insertProber(vantages.filter((vantage) => vantage.carrier === carrier)));
    const targetId = await insertTarget();
    await assignAll();
    const noisy = noise(7);
    const checks = vantages.map((vantage) => ({ targetId, vantage }));
    const measure = ({ vantage }: (typeof checks)[number], at: number, index: number) => {
      const factor = at < CHANGE ? { rtt: 1, tls: 1 } : slow(vantage.carrier);
      const rtt = 20 + (index % 31) * 2;
      return { rtt: noisy(rtt * factor.rtt), tls: noisy(rtt * 1.1 * factor.tls) };
    };
    await writeHistory(checks, { from: CHANGE - 4 * HOUR, to: CHANGE - HOUR / 4, period: 75 }, measure);
    await writeHistory(checks, { from: CHANGE - HOUR / 4, to: CHANGE + HOUR / 4, period: PERIOD }, measure);

    const job = createDetectionJob();
    await detectUntil(job, CHANGE - BATCH);
    const clock = new TestClock(new Date((CHANGE - BATCH) * 1_000).toISOString());
    const sentAt = probers.map((_, index) => CHANGE - 120 + 3 * index);
    const pause = probers.map(() => BATCH);
    const told: { seconds: number; series: number; cause: string }[] = [];
    const due = (index: number) => (sentAt[index] ?? 0) + (pause[index] ?? BATCH);
    for (let now = CHANGE - BATCH; now < CHANGE + FINAL; now += STEP) {
      const isFound = (await getPrisma().detection.count()) > 0;
      for (const [index, prober] of probers.entries()) {
        for (let next = due(index); next <= now; next = due(index)) {
          sentAt[index] = next;
          pause[index] = isFound ? 1 : BATCH;
        }
        const until = sentAt[index];
        await getPool().query('update prober set delivered_until = to_timestamp($2) where id = $1', [prober, until]);
      }
      await detectUntil(job, now);
      await sweepIncidents(clock.now());
      await pump(clock);
      for (const request of receiver.received.splice(0)) {
        const { data } = bodyOf(request);
        told.push({ seconds: now - CHANGE, series: data.affected.series, cause: data.cause });
      }
      clock.forward(STEP);
    }
    await job.close();
    const incidents = await getPrisma().incident.findMany({ where: { mergedInto: null } });
    expect(incidents).toHaveLength(1);
    const [final] = incidents;
    const cells = (final?.cells ?? []) as { vantageId: string }[];
    const series = new Set(cells.map(({ vantageId }) => vantageId)).size;
    const [first] = told;
    process.stdout.write(`${JSON.stringify({ told, series, cause: final?.cause })}\n`);
    expect(first?.seconds).toBeLessThanOrEqual(LIMIT);
    expect((first?.series ?? 0) / series).toBeGreaterThanOrEqual(0.9);
    expect(first?.cause).toBe(final?.cause);
  },
);
