import type { GroupId } from './detection.ts';
import type { DetectionGroup } from './grouping.ts';
import type { Series } from './sample.ts';

// Up to version 3 the detector's state, and the log of ticks, had other names, and a vantage's fields were packed into two
// labels. What was learnt under these names goes on under the present ones.

/** The labels of a series: region and vantage, country and carrier, each with a slash between. */
type Labels = { target: string; province: string; carrier: string };

/** The series that labels of version 3 name. */
export function seriesOfLabels({ target, province, carrier }: Labels): Series {
  const [region = '', vantage = ''] = province.split('/');
  const [country = '', name = ''] = carrier.split('/');
  return { target, vantage, country, region, carrier: name };
}

const NAMES: Record<string, string> = { series: 'id', connect: 'tcp', connectShape: 'tcpShape' };

/** A JSON text of an older state with this version's names; one of this version stays as it is. */
export function renamed(text: string): string {
  return JSON.stringify(JSON.parse(text, (_key, value) => (isObject(value) ? renamedObject(value) : value)));
}

function renamedObject(object: Record<string, unknown>): Record<string, unknown> {
  const { target, province, carrier, ...rest } = object;
  const isSeries = typeof target === 'string' && typeof province === 'string' && typeof carrier === 'string';
  const named = isSeries ? { ...seriesOfLabels({ target, province, carrier }), ...rest } : object;
  return Object.fromEntries(
    Object.entries(named).map(([name, value]) => [
      Object.hasOwn(NAMES, name) ? NAMES[name] : name,
      name === 'metric' && value === 'connect' ? 'tcp' : value,
    ]),
  );
}

type OldIncident = { id: string; scope: 'carrier' | 'target'; of: string; onset: number; newest: number };

/** The head of a state of version 3, without its version. */
export function upgradedHead(head: string): Record<string, unknown> {
  const { version: _version, incidents, ...rest } = JSON.parse(renamed(head));
  return { groups: (incidents as OldIncident[]).map(groupOfIncident), ...rest };
}

function groupOfIncident({ id, scope, of, onset, newest }: OldIncident): DetectionGroup {
  const [country = '', carrier = ''] = of.split('/');
  const cause = id.startsWith('tls/') ? 'tls' : 'server';
  const group: GroupId =
    scope === 'carrier'
      ? { cause: 'network', country, carrier, changeAt: onset }
      : { cause, target: of, changeAt: onset };
  return { id: group, newest };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
