// What happens, for who follows it: minutes whose rollups are computed, incidents that changed. One short look a second at the database
// per process, and only while somebody follows, finds what any process did; what it finds is put in words once and handed to all
// followers. What a follower missed is found by the same look, from the id of its last event on.

import { setTimeout as pause } from 'node:timers/promises';
import {
  type EventsQuery,
  type EventType,
  type GapEvent,
  type MinuteEvent,
  REPEATED_SECONDS,
  REPLAY_MINUTES,
} from '#contract/event.ts';
import { log } from '#server/environment/log.ts';
import { eventText, type Streaming } from '#server/http/event-stream.ts';
import { changesBetween, noteIdAt } from '#server/incidents/changes.ts';
import { closedMinutes, lastClosed } from '#server/rollups/closed.ts';

/** How often (ms) it is looked, and after that failed. */
const LOOK_MS = 1_000;
const LOOK_AFTER_FAILURE_MS = 5_000;
/** A follower for whom more events wait is cut off. */
export const MOST_WAITING = 1_000;
const MINUTE_MS = 60_000;
const REPEATED_MS = REPEATED_SECONDS * 1_000;

/** How far it has been told: minutes since 1970, and changes of incidents up to a time, ms since 1970. As `MINUTE-TIME` the id of an event. */
type Position = { minute: number; at: number };

/** `seen`: earlier notes than `at` that were found already. A transaction takes a while, so notes may come into sight behind later ones. */
type Look = { position: Position; seen: string[] };

type Found = { id: string; type: EventType; data: unknown; text: string; targets: ReadonlySet<string> };

type Follower = (found: Found[]) => void;

const followers = new Set<Follower>();
let watching: Promise<Look> | null = null;

const idOf = ({ minute, at }: Position) => `${minute}-${at}`;

/** Follows from now on, after what was missed since the event `after`. Throws what the database does. */
export async function followEvents(query: EventsQuery, streaming: Streaming): Promise<AsyncGenerator<string, void>> {
  const { after, signal, cutOff } = streaming;
  const waiting: Found[] = [];
  let ring = () => {};
  const follower: Follower = (found) => {
    waiting.push(...found);
    if (waiting.length > MOST_WAITING) cutOff();
    ring();
  };
  followers.add(follower);
  signal.addEventListener('abort', () => {
    followers.delete(follower);
    ring();
  });
  watching ??= watch();
  const { position } = await watching;
  const begun = { ...position };

  async function* follow(): AsyncGenerator<string, void> {
    if (after !== null) yield* missed(query, after, begun);
    yield eventText(idOf(begun));
    while (!signal.aborted) {
      const found = waiting.shift();
      if (found) {
        const text = wanted(query, found);
        if (text) yield text;
        continue;
      }
      await new Promise<void>((resolve) => {
        ring = resolve;
      });
    }
  }
  return follow();
}

/** An event as this follower reads it; of a minute that it does not want the id alone, from which it goes on. */
function wanted({ types, target }: EventsQuery, { id, type, data, text, targets }: Found): string | null {
  if ((types && !types.includes(type)) || (target && !targets.has(target)))
    return type === 'minute' ? eventText(id) : null;
  return eventText(id, type, target && type === 'minute' ? { ...(data as MinuteEvent), targets: [target] } : text);
}

/** What was missed since an event; where that is too long ago, or none of ours, a `gap`. */
async function* missed(query: EventsQuery, after: string, now: Position): AsyncGenerator<string, void> {
  const [, minute = '', at = ''] = /^(\d{1,9})-(\d{1,15})$/.exec(after) ?? [];
  const from = { minute: Number(minute), at: Number(at) };
  const isKept = from.at > now.at - REPLAY_MINUTES * MINUTE_MS && from.at < now.at + REPEATED_MS;
  if (minute === '' || !isKept) {
    const data: GapEvent = { from: minute === '' ? null : instant(from.at), to: instant(now.at) };
    yield eventText(idOf(now), 'gap', data);
    return;
  }
  const look: Look = { position: from, seen: [] };
  for (let more = true; more; ) {
    const read = await lookOn(look);
    for (const found of read.found) {
      const text = wanted(query, found);
      if (text) yield text;
    }
    more = read.more;
  }
}

const instant = (ms: number) => new Date(Math.min(ms, 8.64e15)).toISOString();

/** Looks as long as somebody follows. Resolves once it is known what is not news. */
async function watch(): Promise<Look> {
  const look: Look = { position: { minute: 0, at: Date.now() }, seen: [] };
  try {
    // What is computed late of minutes before these is told of to nobody, so nobody waits for it.
    look.position.minute = await lastClosed(Math.floor(Date.now() / MINUTE_MS) - REPLAY_MINUTES);
    await lookOn(look);
  } catch (error) {
    watching = null;
    throw error;
  }
  void (async () => {
    for (let ms = LOOK_MS; ; ) {
      await pause(ms);
      if (followers.size === 0) break;
      try {
        const { found } = await lookOn(look);
        if (found.length > 0) for (const follower of followers) follower(found);
        ms = LOOK_MS;
      } catch (error) {
        log.debug({ err: error }, 'events cannot be read');
        ms = LOOK_AFTER_FAILURE_MS;
      }
    }
    watching = null;
  })();
  return look;
}

/** Finds what is new since the last look, oldest first, and notes it; `more`: there is more than was read. */
async function lookOn(look: Look): Promise<{ found: Found[]; more: boolean }> {
  const now = Date.now();
  const { position, seen } = look;
  const minutes = await closedMinutes(position.minute, REPLAY_MINUTES);
  const { changes, noteIds, more } = await changesBetween(position.at - REPEATED_MS, now + REPEATED_MS, seen);
  const next = { ...position };
  const found: Found[] = [];
  for (const { minute, targets } of minutes) {
    next.minute = minute;
    const data: MinuteEvent = { minute: instant(minute * MINUTE_MS), targets };
    found.push(foundOf(next, 'minute', data, targets));
  }
  for (const { at, changes: lately, incident } of changes) {
    next.at = Math.max(next.at, at);
    const targets = [incident.targetId, ...incident.cells.map(({ targetId }) => targetId)];
    found.push(
      foundOf(
        next,
        'incident',
        { changes: lately, incident },
        targets.filter((id) => id !== null),
      ),
    );
  }
  next.at = Math.max(position.at, more ?? now);
  const kept = noteIdAt(next.at - REPEATED_MS);
  Object.assign(look, { position: next, seen: [...seen, ...noteIds].filter((id) => id >= kept) });
  return { found, more: more !== null };
}

const foundOf = (position: Position, type: EventType, data: unknown, targets: readonly string[]): Found => ({
  id: idOf(position),
  type,
  data,
  text: JSON.stringify(data),
  targets: new Set(targets),
});
