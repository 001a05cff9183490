import { z } from 'zod';
import { EventsQuery } from '../event.ts';
import type { Operation } from '../operation.ts';

export const getEvents = {
  id: 'getEvents',
  method: 'get',
  path: '/api/v1/events',
  tag: 'events',
  summary: 'Follow what happens, as server-sent events',
  description:
    '`minute` `{minute, targets}`: a minute is over and its rollups are computed; `targets` have results in it. `incident` `{changes, incident}`: an incident was `opened` (also again), `acknowledged`, `resolved` or `changed` otherwise, several of these where they came within a second or were missed; `incident` is an `Incident` as lists have it. `gap` `{from, to}`: events between these instants are not told, read the lists again. With `Last-Event-ID` what was missed comes first, of the last hour; what changed in the minute before that event may come again. A comment or an `id` comes at least every 20 seconds. At most 20 streams a key, session or address, and 400 a web process (429). A reader for whom 1,000 events wait is cut off.',
  access: 'read',
  query: EventsQuery,
  success: { status: 200, description: 'The events, without an end', other: { 'text/event-stream': z.string() } },
} as const satisfies Operation;
