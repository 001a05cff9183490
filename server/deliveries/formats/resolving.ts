import { INCIDENT_EVENT_TYPES } from '#contract/incident.ts';

const RESOLVING = new Set<string>(Object.values(INCIDENT_EVENT_TYPES).flatMap(({ resolved }) => resolved ?? []));

/** Whether the event says that an incident is over. */
export const isResolving = (type: string): boolean => RESOLVING.has(type);
