import { z } from 'zod';
import { Incident } from './incident.ts';
import { list } from './query.ts';

/** What the stream of events tells of. */
export const EVENT_TYPES = ['minute', 'incident'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** What was missed so long ago (minutes) at most is sent again to who reconnects. */
export const REPLAY_MINUTES = 60;
/** Incidents that changed so long (seconds) before the last event come again, too: what was stored just then may have been seen by no one. */
export const REPEATED_SECONDS = 60;

export const EventsQuery = z
  .strictObject({
    types: list(z.enum(EVENT_TYPES), EVENT_TYPES.length)
      .optional()
      .meta({ description: 'which events; all where left out' }),
    target: z
      .uuid()
      .toLowerCase()
      .optional()
      .meta({ description: 'minutes that have results of this target, and incidents with a cell of it' }),
  })
  .meta({ id: 'EventsQuery' });
export type EventsQuery = z.infer<typeof EventsQuery>;

/** A minute is over, and its rollups are computed. */
export type MinuteEvent = { minute: string; targets: string[] };

export const INCIDENT_CHANGES = ['opened', 'changed', 'acknowledged', 'resolved'] as const;
export type IncidentChange = (typeof INCIDENT_CHANGES)[number];

/** What happened to an incident since it was told of last, in order, and the incident as lists show it by now. */
export const IncidentEvent = z.object({ changes: z.array(z.enum(INCIDENT_CHANGES)), incident: Incident });
export type IncidentEvent = z.infer<typeof IncidentEvent>;

/** What happened in between is not told: lists have to be read again. `from` is null where the id was none. */
export type GapEvent = { from: string | null; to: string };
