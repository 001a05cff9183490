import { type IncidentsQuery, REGRESSION_ORDERS } from '#contract/incident.ts';
import {
  INCIDENT_KINDS,
  INCIDENT_STATES,
  type IncidentKind,
  SEVERITIES,
  type Severity,
} from '#contract/incident-vocabulary.ts';
import { Carrier, Region } from '#contract/location.ts';
import { first, many, type SearchParams } from '../filters/filter.ts';

export const STATES = ['unresolved', ...INCIDENT_STATES, 'all'] as const;
export const DIRECTIONS = ['worse', 'better', 'both'] as const;

/** What a reader chose on the lists of incidents and regressions; all of it stands in the URL. */
export type IncidentFilter = {
  state: (typeof STATES)[number];
  kind: IncidentKind | null;
  severity: Severity | null;
  target: string | null;
  regions: string[];
  carriers: string[];
  direction: (typeof DIRECTIONS)[number];
  order: (typeof REGRESSION_ORDERS)[number];
  cursor: string | null;
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Reads the filter from search parameters; what is missing or makes no sense falls back to the default. */
export function readIncidentFilter(params: SearchParams, state: IncidentFilter['state']): IncidentFilter {
  const one = (name: string) => first(params[name]) ?? null;
  const target = one('target');
  return {
    state: STATES.find((known) => known === one('state')) ?? state,
    kind: INCIDENT_KINDS.find((known) => known === one('kind')) ?? null,
    severity: SEVERITIES.find((known) => known === one('severity')) ?? null,
    target: target !== null && UUID.test(target) ? target : null,
    regions: many(params.region).filter((region) => Region.safeParse(region).success),
    carriers: many(params.carrier).filter((carrier) => Carrier.safeParse(carrier).success),
    direction: DIRECTIONS.find((known) => known === one('direction')) ?? 'worse',
    order: REGRESSION_ORDERS.find((known) => known === one('order')) ?? 'ms',
    cursor: one('cursor'),
  };
}

function stateQuery(state: IncidentFilter['state']): Pick<IncidentsQuery, 'status' | 'state'> {
  if (state === 'unresolved') return { status: ['open', 'acknowledged'] };
  return state === 'all' ? {} : { state: [state] };
}

/** The part of the filter that both lists' queries take. */
export function filterQuery({ state, target, regions, carriers, cursor }: IncidentFilter) {
  return {
    ...stateQuery(state),
    ...(target === null ? {} : { target }),
    ...(regions.length > 0 ? { region: regions } : {}),
    ...(carriers.length > 0 ? { carrier: carriers } : {}),
    ...(cursor === null ? {} : { cursor }),
  };
}

/** A link to `path` under this filter, its next page. */
export function nextHref(path: string, filter: IncidentFilter, cursor: string): string {
  const query = new URLSearchParams({ state: filter.state, direction: filter.direction, order: filter.order, cursor });
  for (const name of ['kind', 'severity', 'target'] as const) if (filter[name]) query.set(name, filter[name]);
  for (const region of filter.regions) query.append('region', region);
  for (const carrier of filter.carriers) query.append('carrier', carrier);
  return `${path}?${query}`;
}

/** Says whether anything but the state is chosen. */
export const isNarrowed = ({ kind, severity, target, regions, carriers }: IncidentFilter) =>
  kind !== null || severity !== null || target !== null || regions.length + carriers.length > 0;
