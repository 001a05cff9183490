import { type PastWindow, pastBefore } from '#demo/past/window.ts';
import { readSetting } from '#server/database/settings.ts';
import { adopt, SETTLING } from '#server/demo/past/adopt.ts';
import { type DemoInstallation, demoInstallation } from '#server/demo/past/installation.ts';
import { markWatched, recordStretch } from '#server/demo/past/record.ts';
import { storePast } from '#server/demo/past/store.ts';
import { vantageNumbers } from '#server/rollups/vantage-numbers.ts';
import { vantageLabels } from '#server/vantages/labels.ts';
import { markersOf } from './past-series.ts';
import { type PastThread, startPastThread } from './past-thread.ts';

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
  const window = pastBefore(installation.madeAt.getTime());
  const startedAt = performance.now();
  const tellTime: Tell = (text) => tell(`${text} after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  const numbers = await vantageNumbers(installation.vantages.map(({ id }) => id));
  const thread = startPastThread({ installation, vantages: await vantageLabels(), numbers, window });
  try {
    await load({ installation, window, thread, tell: tellTime });
  } finally {
    await thread.close();
  }
}

type Loading = { installation: DemoInstallation; window: PastWindow; thread: PastThread; tell: Tell };

async function load({ installation, window, thread, tell }: Loading): Promise<void> {
  const targetIds = installation.targets.map(({ id }) => id);
  const markers = markersOf(installation, window);
  if (await storePast({ ...window, targetIds, rowsOf: thread.rowsOf, markers })) tell('14 days of history generated');
  const past = await readSetting('demo_past');
  if (past === null) return;
  // First what is waited for: without it the live detector would know no series for twenty minutes.
  const from = Math.floor(installation.madeAt.getTime() / 1_000) + SETTLING;
  if (!past.learnt && (await adopt(await thread.learn(), { to: past.to, from }))) tell('live detector trained on it');
  const found = await watch(thread);
  await markWatched();
  tell(`detector done, ${found} detections,`);
}

/** Stores each stretch while the detector goes over the next; how much it found. */
async function watch(thread: PastThread): Promise<number> {
  let found = 0;
  let next = thread.watch();
  for (let stretch = await next; stretch !== null; stretch = await next) {
    next = thread.watch();
    next.catch(() => {});
    await recordStretch(stretch, new Date());
    found += stretch.raised.length;
  }
  return found;
}
