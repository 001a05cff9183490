import type { Cause, Effect, SeriesEvent } from '#analysis/synthetic/event.ts';
import type { Gap } from '#analysis/synthetic/instants.ts';
import { localHour, type PastWindow } from './window.ts';

/** Which lines something happens to; what is left out holds for all. */
type Scope = { origin?: string; carrier?: string; regions?: readonly string[] };
type Happening = Scope & { event: SeriesEvent };
/** A line by the names that the story knows. */
export type PastKey = { origin: string; region: string; carrier: string };
/** A change that somebody made, as the demo's markers tell it. */
export type PastMarker = { origin: string; at: number; title: string; text: string };

const HOUR = 3_600;
const NORTH_WEST = ['CN-SN', 'CN-GS', 'CN-QH', 'CN-NX', 'CN-XJ'];
const SOUTH = ['CN-GD', 'CN-GX', 'CN-HI', 'CN-FJ'];

/** Everything that happened in the demo's past. What lasts until its end is how the origins are now. */
function happenings(window: PastWindow): Happening[] {
  const at = (daysBefore: number, hour: number) => localHour(window, daysBefore, hour);
  const stays = Number.POSITIVE_INFINITY;
  return [
    lasting('session-cache', 'tls', [at(10, 10.25), stays], { resumedShare: 0 }, { origin: 'legacy' }),
    lasting('route', 'network', [at(8, 3), at(7, 9)], { rttFactor: 1.4 }, { carrier: 'unicom', regions: NORTH_WEST }),
    lasting('chain', 'tls', [at(6, 14), stays], { roundTrips: -1 }, { origin: 'good' }),
    lasting('release', 'server', [at(4, 11), at(2, 10)], { serverMs: 22, firstByteMs: 30 }, { origin: 'stale' }),
    spike(
      'south',
      'network',
      [at(5, 15.3), 95],
      { rttFactor: 2.2, lossFactor: 2 },
      { carrier: 'telecom', regions: SOUTH },
    ),
    spike('evening', 'network', [at(2, 20.4), 70], { rttMs: 48, lossFactor: 4, spread: 2 }, { carrier: 'mobile' }),
    spike('busy', 'server', [at(1, 11.5), 50], { serverMs: 110, firstByteMs: 150 }, { origin: 'legacy' }),
    // Nothing that a person should be told of: names that resolve slowly.
    noise('dns', [at(3, 9), at(3, 17)], { dnsFactor: 4 }, { carrier: 'mobile', regions: ['CN-SC', 'CN-CQ'] }),
  ];
}

/** The markers of the past: each change that somebody made. */
export function pastMarkers(window: PastWindow): PastMarker[] {
  const at = (daysBefore: number, hour: number) => localHour(window, daysBefore, hour);
  return [
    {
      origin: 'legacy',
      at: at(10, 10.25),
      title: 'New load balancers',
      text: 'The session cache of the old ones is not shared with the new ones.',
    },
    {
      origin: 'good',
      at: at(6, 14),
      title: 'Short chain and fresh staples',
      text: 'The chain no longer carries the root and fits the first flight; OCSP responses are fetched ahead.',
    },
    { origin: 'stale', at: at(4, 11), title: 'Release 46', text: '' },
    { origin: 'stale', at: at(2, 10), title: 'Release 46 rolled back', text: '' },
  ];
}

/** What happened to one line, in time order. */
export function eventsOf(window: PastWindow, line: PastKey): SeriesEvent[] {
  return happenings(window)
    .filter((each) => touches(each, line))
    .map(({ event }) => event)
    .sort((a, b) => a.start - b.start);
}

/** When a vantage measured nothing: its prober was being moved. */
export function gapsOf(window: PastWindow, { region, carrier }: PastKey): Gap[] {
  if (carrier !== 'mobile' || region !== 'CN-HB') return [];
  return [{ start: localHour(window, 5, 1), end: localHour(window, 5, 7.5) }];
}

function touches({ origin, carrier, regions }: Scope, line: PastKey): boolean {
  if (origin !== undefined && origin !== line.origin) return false;
  if (carrier !== undefined && carrier !== line.carrier) return false;
  return regions === undefined || regions.includes(line.region);
}

const together = { shape: 'box', rampSeconds: 0, hitShare: 1, maxSamples: Number.POSITIVE_INFINITY } as const;

/** A level that changes from one time to another (epoch seconds; Infinity for what stays). */
function lasting(incident: string, cause: Cause, [start, end]: [number, number], effect: Effect, scope: Scope) {
  return { ...scope, event: { ...together, kind: 'shift', cause, incident, start, end, effect } } satisfies Happening;
}

/** An incident that begins at a time and lasts so many minutes. */
function spike(incident: string, cause: Cause, [start, minutes]: [number, number], effect: Effect, scope: Scope) {
  const end = start + (minutes * HOUR) / 60;
  return { ...scope, event: { ...together, kind: 'spike', cause, incident, start, end, effect } } satisfies Happening;
}

function noise(kind: 'dns', [start, end]: [number, number], effect: Effect, scope: Scope) {
  return {
    ...scope,
    event: { ...together, kind, cause: null, incident: kind, start, end, effect },
  } satisfies Happening;
}
