'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { noteFigures, whenServing } from './connection.ts';

/** A page that has just come has enough to load, and may be left at once. */
const FIRST_CONNECT_MS = 2_000;
/** The longest without a refresh: a minute is closed every minute, so the stream is dead, or nothing is measured. */
const SILENT_MS = 90_000;
/** A stream that broke is opened again after so long, one that was refused after so long. */
const BROKEN_MS = 10_000;
const REFUSED_MS = 60_000;
/** Not all open pages of an installation ask at once as a minute is closed. */
const SPREAD_MS = 10_000;
/** What comes together leads to one refresh, and storms of incidents to one in so long. */
const TOGETHER_MS = 1_000;
const APART_MS = 5_000;
/** The same for answers of a measurement, of which 93 come within some seconds. */
const ANSWERS_MS = 400;

/** When the page is to be rendered again, ms after an event of its stream, and at least how long after the time before. */
const EVENTS: Record<string, () => { ms: number; apart: number }> = {
  minute: () => ({ ms: Math.random() * SPREAD_MS, apart: APART_MS }),
  incident: () => ({ ms: TOGETHER_MS, apart: APART_MS }),
  gap: () => ({ ms: 0, apart: APART_MS }),
  measurement: () => ({ ms: ANSWERS_MS, apart: ANSWERS_MS }),
  answers: () => ({ ms: ANSWERS_MS, apart: ANSWERS_MS }),
  end: () => ({ ms: ANSWERS_MS, apart: ANSWERS_MS }),
};

type Props = {
  /** When the server made what is shown, ms since 1970. */
  at: number;
  /** Without a stream: how often, s. */
  seconds?: number;
  /** Address of the stream whose events say that there is something new; of incidents that of this one alone, where it is given. */
  stream?: string;
  incident?: string | undefined;
  /** Whether the stream is opened at once. */
  hurry?: boolean;
};

/** Renders the page again, by a stream of events or a timer. A hidden page has neither; it catches up when it is shown. */
export function Refresher({ at, seconds, stream, incident, hurry = false }: Props) {
  const router = useRouter();
  useEffect(() => {
    noteFigures(at);
    return () => noteFigures(null);
  }, [at]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let source: EventSource | undefined;
    let due = Number.POSITIVE_INFINITY;
    let refreshedAt = performance.now();
    let stopped = false;
    let isOver = false;
    const wait = (ms: number, then: () => void = lookAgain) => {
      clearTimeout(timer);
      due = performance.now() + ms;
      timer = setTimeout(then, ms);
    };
    const lookAgain = () => {
      disconnect();
      void refresh();
    };
    const restMs = seconds === undefined ? SILENT_MS : seconds * 1_000;
    const refresh = async (nextMs = restMs) => {
      clearTimeout(timer);
      // A server whose stream is open serves.
      if (source?.readyState !== EventSource.OPEN) await whenServing();
      if (stopped || document.hidden) return;
      refreshedAt = performance.now();
      router.refresh();
      wait(nextMs);
      if (nextMs === restMs) connect();
    };
    const onEvent = ({ type, data }: MessageEvent<string>) => {
      if (type === 'end') isOver = true;
      if (isOver) disconnect();
      if (type === 'incident' && incident && JSON.parse(data).incident.id !== incident) return;
      const { ms, apart } = EVENTS[type]?.() ?? { ms: 0, apart: 0 };
      const inMs = Math.max(ms, refreshedAt + apart - performance.now());
      if (performance.now() + inMs < due) wait(inMs, () => void refresh());
    };
    const connect = () => {
      if (stream === undefined || source || isOver) return;
      let isOpen = false;
      source = new EventSource(stream);
      source.onopen = () => {
        isOpen = true;
      };
      source.onerror = async () => {
        disconnect();
        await whenServing();
        if (stopped || document.hidden) return;
        if (isOpen) await refresh(BROKEN_MS);
        else wait(REFUSED_MS);
      };
      for (const name of Object.keys(EVENTS)) source.addEventListener(name, onEvent);
    };
    const disconnect = () => {
      source?.close();
      source = undefined;
    };
    const onVisibility = () => {
      clearTimeout(timer);
      disconnect();
      if (!document.hidden) void refresh();
    };
    const begin = () => {
      wait(restMs);
      connect();
    };
    if (!document.hidden && hurry) begin();
    else if (!document.hidden)
      wait(stream === undefined ? restMs : FIRST_CONNECT_MS, stream === undefined ? lookAgain : begin);
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      stopped = true;
      clearTimeout(timer);
      disconnect();
      document.removeEventListener('visibilitychange', onVisibility);
    };
  }, [router, seconds, stream, incident, hurry]);
  return null;
}
