import { z } from 'zod';
import { PAST_ORIGINS } from '#demo/past/lines.ts';
import { drawPast } from '#demo/past/series.ts';
import { pastMarkers } from '#demo/past/story.ts';
import { type PastWindow, pastBefore } from '#demo/past/window.ts';
import { PROFILES } from '#demo/profiles.ts';
import { type DemoPlaces, demoPlaces } from '#server/demo-past/places.ts';
import type { GeneratedLine } from '#server/demo-past/sample.ts';
import { storePast } from '#server/demo-past/store.ts';
import { watchPast } from '#server/demo-past/watch.ts';
import { readSetting } from '#server/settings.ts';
import type { Conversation } from './part.ts';

/** Hears in words what is done, and how long it took. */
type Tell = (text: string) => void;

/** Whether the demo is there and still lacks its past, or what the detector says of it. */
export async function lacksPast(): Promise<boolean> {
  const [places, past] = await Promise.all([demoPlaces(), readSetting('demo_past')]);
  return places !== null && past?.watched !== true;
}

/**
 * Gives the demo its past: 14 generated days of all its checks as rollups, and the incidents that the detector raises over
 * them. Does what is left to do; nothing where all is there.
 */
export async function loadPast(tell: Tell): Promise<void> {
  const places = await demoPlaces();
  if (places === null) return;
  const window = pastBefore(places.madeAt.getTime());
  const lines = new Map(places.targets.map(({ id, host }) => [id, linesOf(places, { id, host }, window)]));
  const startedAt = performance.now();
  const seconds = () => `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
  const stored = await storePast({
    ...window,
    targetIds: places.targets.map(({ id }) => id),
    linesOf: (targetId) => lines.get(targetId)?.() ?? [],
    markers: markersOf(places, window),
  });
  if (stored) tell(`14 generated days are there after ${seconds()}`);
  const past = await readSetting('demo_past');
  if (past === null || past.watched) return;
  const found = await watchPast(
    { from: past.from, to: past.to },
    [...lines.values()].flatMap((draw) => draw()),
  );
  tell(`the detector went over them, ${found} detections, after ${seconds()}`);
}

/** The lines of one target, drawn at the first call. A target that is no origin's (its address was changed) has none. */
function linesOf(places: DemoPlaces, { id, host }: { id: string; host: string }, window: PastWindow) {
  let drawn: GeneratedLine[] | null = null;
  return (): GeneratedLine[] => {
    const origin = originOf(host);
    if (!origin) return [];
    drawn ??= places.vantages.map(({ id: vantageId, region, carrier }) => ({
      targetId: id,
      vantageId,
      samples: drawPast(origin, { region, carrier }, window).samples,
    }));
    return drawn;
  };
}

function markersOf(places: DemoPlaces, window: PastWindow) {
  return pastMarkers(window).flatMap(({ origin, ...marker }) => {
    const target = places.targets.find(({ host }) => originOf(host)?.key === origin);
    return target ? { ...marker, targetId: target.id } : [];
  });
}

function originOf(host: string) {
  const profile = PROFILES.find((each) => each.host === host);
  return PAST_ORIGINS.find(({ key }) => key === profile?.key);
}

const Done = z.object({ done: z.literal(true), said: z.string() });

/** Hears that the process that loads the past is done: it is not to be started again. */
export function answerDemoPast(message: unknown, { rest }: Conversation): void {
  const done = Done.safeParse(message);
  if (done.success) rest(done.data.said);
}
