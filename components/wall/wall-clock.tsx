'use client';

import { useEffect, useState } from 'react';
import { formatTime } from '#i18n/time.ts';

/** The time of day in a zone, running; `at` is the server's (ms) until the page runs. */
export function WallClock({ at, zone }: { at: number; zone: string }) {
  const [now, setNow] = useState(at);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={new Date(now).toISOString()} className="text-[3rem] tabular-nums" suppressHydrationWarning>
      {formatTime(now, zone, 'second').slice(-8)}
    </time>
  );
}
