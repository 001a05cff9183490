'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

/** Least time (ms) between two renders of the page: 93 answers come within some seconds. */
const REFRESH_EVERY_MS = 400;

/** Renders the page again as answers come. Shown while the measurement runs; renders nothing itself. */
export function FollowMeasurement({ id }: { id: string }) {
  const router = useRouter();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refreshSoon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        router.refresh();
      }, REFRESH_EVERY_MS);
    };
    const events = new EventSource(`/api/v1/measurements/${id}`);
    events.addEventListener('answers', refreshSoon);
    events.addEventListener('end', () => {
      events.close();
      refreshSoon();
    });
    return () => {
      events.close();
      clearTimeout(timer);
    };
  }, [router, id]);
  return null;
}
