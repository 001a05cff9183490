import type { GroupId } from './detection.ts';
import { freeze, thaw } from './frozen.ts';
import type { DetectionGroup } from './grouping.ts';
import { append, emptyHistory, type History, setLearned } from './history/history.ts';
import { logSteps } from './parameters.ts';
import type { Series } from './sample.ts';

// Up to version 3 the detector's state, and the log of ticks, had other names, and a vantage's fields were packed into two
// labels. What was learnt under these names goes on under the present ones. Up to version 4 histories had a time a sample.

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

/** A history up to version 4: a ring whose length is a power of two. */
type OldHistory = { times: Uint32Array; logs: Int16Array; learned: Uint8Array; head: number; count: number };
type WithHistories = Record<'tls' | 'tcp' | 'firstByte', { history: OldHistory | History } | null>;

/** The text of a series of version 4 as version 5 has it. */
export function withPackedHistories(text: string): string {
  const series = thaw<WithHistories>(text);
  for (const monitor of [series.tls, series.tcp, series.firstByte])
    if (monitor) monitor.history = packed(monitor.history as OldHistory);
  return freeze(series);
}

function packed({ times, logs, learned, head, count }: OldHistory): History {
  const history = emptyHistory();
  for (let index = 0; index < count; index++) {
    const position = (head + index) & (times.length - 1);
    append(history, times[position] as number, (logs[position] as number) / logSteps);
    setLearned(history, index, learned[position] === 1);
  }
  return history;
}
