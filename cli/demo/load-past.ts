import { type PastWindow, pastBefore } from '#demo/past/window.ts';
import { readSetting } from '#server/database/settings.ts';
import { adopt, SETTLING } from '#server/demo/past/adopt.ts';
import { type DemoInstallation, demoInstallation } from '#server/demo/past/installation.ts';
import { tierRows } from '#server/demo/past/past-rollups.ts';
import { markWatched, recordStretch } from '#server/demo/past/record.ts';
import { learnPast, watchPast } from '#server/demo/past/replay.ts';
import { storePast } from '#server/demo/past/store.ts';
import { vantageNumbers } from '#server/rollups/vantage-numbers.ts';
import { vantageLabels } from '#server/vantages/labels.ts';
import { markersOf, pastSeries } from './past-series.ts';

/** Hears in words what is done, and how long it took. */
type Tell = (text: string) => void;

/** Whether the demo is there and still lacks its past, or what the detector says of it. */
export async function lacksPast(): Promise<boolean> {
  const [installation, past] = await Promise.all([demoInstallation(), readSetting('demo_past')]);
  return installation !== null && past?.watched !== true;
}

/**
 * Gives the demo its past: 14 generated days of all its checks as rollups, knowledge of them for the live detector, and the
 * incidents that the detector raises over them, oldest first. Does what is left to do; nothing where all is there.
 */
export async function loadPast(tell: Tell): Promise<void> {
  if (!(await lacksPast())) return;
  const installation = await demoInstallation();
  if (installation === null) return;
  const startedAt = performance.now();
  const tellTime: Tell = (text) => tell(`${text} after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  await load(installation, pastBefore(installation.madeAt.getTime()), tellTime);
}

async function load(installation: DemoInstallation, window: PastWindow, tell: Tell): Promise<void> {
  const [vantages, numbers] = await Promise.all([
    vantageLabels(),
    vantageNumbers(installation.vantages.map(({ id }) => id)),
  ]);
  const targetIds = installation.targets.map(({ id }) => id);
  const seriesOf = pastSeries(installation, window);
  const markers = markersOf(installation, window);
  const isStored = await storePast({
    ...window,
    targetIds,
    rowsOf: ({ targetId, tier, range }) => tierRows(tier, targetId, seriesOf(targetId), numbers, range),
    markers,
  });
  if (isStored) tell('14 days of history generated');
  const past = await readSetting('demo_past');
  if (past?.stored !== true) return;
  const allSeries = targetIds.flatMap(seriesOf);
  // First what is waited for: without it the live detector would know no series for twenty minutes.
  const from = Math.floor(installation.madeAt.getTime() / 1_000) + SETTLING;
  if (!past.learnt && (await adopt(learnPast(allSeries, vantages, window), { to: past.to, from })))
    tell('live detector trained on it');
  let found = 0;
  for (const stretch of watchPast(allSeries, vantages, window)) {
    await recordStretch(stretch, new Date());
    found += stretch.raised.length;
  }
  await markWatched();
  tell(`detector done, ${found} detections,`);
}
