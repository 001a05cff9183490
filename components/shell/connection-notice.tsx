'use client';

import { useEffect, useState, useSyncExternalStore } from 'react';
import { formatClock } from '#i18n/time.ts';
import { CONNECTED, connectionNow, guardPageRequests, onConnection, takeUnsent } from '../ui/connection.ts';

/** `{since}` and `{figures}` stand for times. */
export type ConnectionTexts = Record<'lost' | 'lostFigures' | 'slow' | 'slowFigures' | 'unsent', string>;

/**
 * Says that the server is away, or its database slow, since when, and of when the figures are; and keeps the page while it is. After a reload that
 * lost a form, because the server had been updated, says so.
 */
export function ConnectionNotice({ texts, zone }: { texts: ConnectionTexts; zone: string }) {
  const [unsent, setUnsent] = useState(false);
  useEffect(() => {
    if (takeUnsent()) setUnsent(true);
    return guardPageRequests();
  }, []);
  const { lostAt, slowAt, figuresAt } = useSyncExternalStore(onConnection, connectionNow, () => CONNECTED);
  const clock = (instant: number | null) => (instant === null ? '' : formatClock(instant, zone));
  const since = lostAt ?? slowAt;
  const [plain, withFigures] = lostAt === null ? [texts.slow, texts.slowFigures] : [texts.lost, texts.lostFigures];
  const text = (figuresAt === null ? plain : withFigures)
    .replace('{since}', clock(since))
    .replace('{figures}', clock(figuresAt));
  return (
    <div role="status" className="connection">
      {since === null ? unsent ? <p>{texts.unsent}</p> : null : <p>{text}</p>}
    </div>
  );
}
