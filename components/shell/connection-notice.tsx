'use client';

import { useEffect, useSyncExternalStore } from 'react';
import { formatClock } from '#i18n/time.ts';
import { CONNECTED, connectionNow, guardPageRequests, onConnection } from '../ui/connection.ts';

/** `{since}` and `{figures}` stand for times. */
export type ConnectionTexts = { lost: string; lostFigures: string };

/** Says that the server is away, since when, and of when the figures are; and keeps the page while it is. */
export function ConnectionNotice({ texts, zone }: { texts: ConnectionTexts; zone: string }) {
  useEffect(() => guardPageRequests(), []);
  const { lostAt, figuresAt } = useSyncExternalStore(onConnection, connectionNow, () => CONNECTED);
  const clock = (instant: number | null) => (instant === null ? '' : formatClock(instant, zone));
  const text = (figuresAt === null ? texts.lost : texts.lostFigures)
    .replace('{since}', clock(lostAt))
    .replace('{figures}', clock(figuresAt));
  return (
    <div role="status" className="connection">
      {lostAt === null ? null : <p>{text}</p>}
    </div>
  );
}
