import { getPrisma } from '#server/database/database.ts';
import { readStatus } from '#server/detection/status.ts';
import { createDetectionJob, HISTORY_DAYS } from '#server/pipeline/pipeline.ts';
import { GRACE_SECONDS } from '#server/vantages/delivered.ts';
import { DAY, HOUR, noise } from '../support/detecting.ts';
import { writeHistory } from '../support/history.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { mainlandVantages } from '../support/vantages.ts';
import { onFreshDatabase } from './database.ts';

/** Prints what it takes to go through the history that jobs find at their first start: `catch-up CHECKS [in-order]`, one probe a minute. */
export async function benchCatchUp([given = '50', form = 'present-first']: string[]): Promise<void> {
  const vantages = mainlandVantages().slice(0, Number(given));
  const targets = Math.ceil(Number(given) / vantages.length);
  await onFreshDatabase(async () => {
    await insertProber(vantages);
    const end = Math.floor(Date.now() / 1_000 / HOUR) * HOUR;
    const noisy = noise(1);
    for (let target = 0; target < targets; target += 1) {
      const targetId = await insertTarget({ name: `shop ${target}` });
      const checks = vantages.map((vantage) => ({ targetId, vantage }));
      await writeHistory(checks, { from: end - HISTORY_DAYS * DAY, to: end }, () => ({
        rtt: noisy(40),
        tls: noisy(45),
      }));
    }
    process.stdout.write(`${targets * vantages.length} checks, ${HISTORY_DAYS} days\n`);
    await catchUp(end + GRACE_SECONDS, form === 'in-order');
  });
}

async function catchUp(now: number, inOrder: boolean): Promise<void> {
  const [begun, cpu] = [performance.now(), process.cpuUsage()];
  const before = process.memoryUsage().rss;
  let most = before;
  const job = createDetectionJob(inOrder ? { inOrderResults: Number.POSITIVE_INFINITY } : { inOrderResults: 0 });
  while (await job.step(now * 1_000)) most = Math.max(most, process.memoryUsage().rss);
  const live = process.cpuUsage(cpu);
  while (await job.history(now * 1_000)) most = Math.max(most, process.memoryUsage().rss);
  await job.close();
  const { user, system } = process.cpuUsage(cpu);
  const status = await readStatus();
  const figures = {
    seconds: (performance.now() - begun) / 1_000,
    cpuSecondsUntilLive: (live.user + live.system) / 1e6,
    cpuSeconds: (user + system) / 1e6,
    detectorCpuSeconds: (status?.cpuMs ?? 0) / 1_000,
    samples: status?.samples,
    rssBeforeMb: before / 1e6,
    rssMostMb: most / 1e6,
    incidents: await getPrisma().incident.count(),
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}
