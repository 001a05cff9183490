import type { GeneratedSeries } from '#contract/demo.ts';
import { PAST_ORIGINS } from '#demo/past/lines.ts';
import { drawPast } from '#demo/past/series.ts';
import { pastMarkers } from '#demo/past/story.ts';
import type { PastWindow } from '#demo/past/window.ts';
import { PROFILES } from '#demo/profiles.ts';
import type { DemoPlaces } from '#server/demo/past/places.ts';
import type { GeneratedMarker } from '#server/demo/past/store.ts';

/** The lines of each target, drawn at the first call. A target that is no origin's (its address was changed) has none. */
export function pastLines(places: DemoPlaces, window: PastWindow): (targetId: string) => readonly GeneratedSeries[] {
  const drawn = new Map<string, GeneratedSeries[]>();
  return (targetId) => {
    const known = drawn.get(targetId);
    if (known) return known;
    const origin = originOf(places.targets.find(({ id }) => id === targetId)?.host);
    const lines = !origin
      ? []
      : places.vantages.map(({ id: vantageId, region, carrier }) => ({
          targetId,
          vantageId,
          samples: drawPast(origin, { region, carrier }, window).samples,
        }));
    drawn.set(targetId, lines);
    return lines;
  };
}

/** The markers of the past at the targets that are there. */
export function markersOf(places: DemoPlaces, window: PastWindow): GeneratedMarker[] {
  return pastMarkers(window).flatMap(({ origin, ...marker }) => {
    const target = places.targets.find(({ host }) => originOf(host)?.key === origin);
    return target ? { ...marker, targetId: target.id } : [];
  });
}

function originOf(host: string | undefined) {
  const profile = PROFILES.find((each) => each.host === host);
  return PAST_ORIGINS.find(({ key }) => key === profile?.key);
}
