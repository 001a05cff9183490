import { Refresher } from './refresher.tsx';

/** What a page shows: one target, incident or running measurement; everything where none is named. */
type Followed = { target?: string; incident?: string; measurement?: string };

/**
 * Renders the page again while it is visible and the server is there: as what it shows changes, which only those may follow who may read;
 * or, where that is no event, every `seconds`.
 */
export function LiveRefresh(how: { follow: Followed } | { seconds: number }) {
  const at = Date.now();
  if ('seconds' in how) return <Refresher at={at} seconds={how.seconds} />;
  const { target, incident, measurement } = how.follow;
  if (measurement) return <Refresher at={at} stream={`/api/v1/measurements/${measurement}`} hurry />;
  return <Refresher at={at} stream={`/api/v1/events${target ? `?target=${target}` : ''}`} incident={incident} />;
}
