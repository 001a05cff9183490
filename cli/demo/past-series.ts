import type { GeneratedSeries } from '#contract/demo.ts';
import { PAST_ORIGINS } from '#demo/past/paths.ts';
import { drawPast } from '#demo/past/series.ts';
import { pastMarkers } from '#demo/past/story.ts';
import type { PastWindow } from '#demo/past/window.ts';
import { PROFILES } from '#demo/profiles.ts';
import type { DemoInstallation } from '#server/demo/past/installation.ts';
import type { GeneratedMarker } from '#server/demo/past/store.ts';

/** The series of each target, drawn at the first call. A target that is no origin's (its address was changed) has none. */
export function pastSeries(
  installation: DemoInstallation,
  window: PastWindow,
): (targetId: string) => readonly GeneratedSeries[] {
  const drawn = new Map<string, GeneratedSeries[]>();
  return (targetId) => {
    const known = drawn.get(targetId);
    if (known) return known;
    const origin = originOf(installation.targets.find(({ id }) => id === targetId)?.host);
    const series = !origin
      ? []
      : installation.vantages.map(({ id: vantageId, region, carrier }) => ({
          targetId,
          vantageId,
          samples: drawPast(origin, { region, carrier }, window).samples,
        }));
    drawn.set(targetId, series);
    return series;
  };
}

/** The markers of the past at the targets that are there. */
export function markersOf(installation: DemoInstallation, window: PastWindow): GeneratedMarker[] {
  return pastMarkers(window).flatMap(({ origin, ...marker }) => {
    const target = installation.targets.find(({ host }) => originOf(host)?.key === origin);
    return target ? { ...marker, targetId: target.id } : [];
  });
}

function originOf(host: string | undefined) {
  const profile = PROFILES.find((each) => each.host === host);
  return PAST_ORIGINS.find(({ key }) => key === profile?.key);
}
