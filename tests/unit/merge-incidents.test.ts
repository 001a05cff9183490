import { describe, expect, it } from 'vitest';
import type { Batch } from '#server/incidents/batch.ts';
import { mergeIncidents } from '#server/incidents/merge.ts';
import { cellOf, type IncidentRecord, type StoredCell } from '#server/incidents/stored-incident.ts';

const NOON = Date.parse('2026-11-20T12:00:00Z');
const at = (minutes: number) => new Date(NOON + minutes * 60_000);

const cell = (vantageId: string, kind: 'spike' | 'regression', begun: number, over: number | null): StoredCell => ({
  ...cellOf({
    targetId: 't',
    vantageId,
    region: 'CN-BJ',
    carrier: 'telecom',
    kind,
    metric: 'tls',
    at: at(begun),
    beforeMs: 20,
    afterMs: 60,
  }),
  recoveredAt: over === null ? null : at(over).toISOString(),
});

function incident(id: string, kind: 'spike' | 'regression', cells: StoredCell[]): IncidentRecord {
  const known = { id, kind, cells, status: 'open', groups: [id], onsetAt: at(0), lastEvent: null, backfilled: false };
  return { ...known, mergedInto: null, heldUntil: null, metric: 'tls', flapping: false } as unknown as IncidentRecord;
}

function batch(): Batch {
  const empty = { fresh: new Set(), notes: [], merges: [], messages: [], silences: [], openings: new Map() };
  return { ...empty, now: at(30), incidents: new Map(), unexplained: new Set() } as unknown as Batch;
}

describe('an incident that becomes part of another', () => {
  it('brings the cell that goes on in the place of one that is over', () => {
    const into = incident('into', 'spike', [cell('a', 'spike', 0, 10), cell('b', 'spike', 0, null)]);
    const from = incident('from', 'spike', [cell('a', 'spike', 20, null), cell('b', 'spike', -5, 8)]);
    mergeIncidents(batch(), from, into, at(25));
    const shown = into.cells.map(({ vantageId, changeAt, recoveredAt }) => [vantageId, changeAt, recoveredAt]);
    expect(shown.toSorted()).toEqual([
      ['a', at(20).toISOString(), null],
      ['b', at(0).toISOString(), null],
    ]);
    expect([from.mergedInto, from.status]).toEqual(['into', 'resolved']);
  });

  it('keeps a lasting change where the spike that it was taken for is dated later', () => {
    const into = incident('into', 'regression', [cell('a', 'regression', -5, null)]);
    mergeIncidents(batch(), incident('from', 'spike', [cell('a', 'spike', 0, null)]), into, at(25));
    expect(into.cells.map(({ kind }) => kind)).toEqual(['regression']);
  });

  it('has a cell once that both have', () => {
    const both = cell('a', 'regression', 0, null);
    const into = incident('into', 'regression', [both, cell('b', 'regression', 0, null)]);
    mergeIncidents(batch(), incident('from', 'regression', [{ ...both }]), into, at(25));
    expect(into.cells.map(({ vantageId }) => vantageId)).toEqual(['a', 'b']);
  });

  it('brings what resumed handshakes show of a series beside what full ones do', () => {
    const into = incident('into', 'spike', [cell('a', 'spike', 0, null)]);
    const from = incident('from', 'spike', [{ ...cell('a', 'spike', 5, null), variant: 'resumed' }]);
    mergeIncidents(batch(), from, into, at(25));
    expect(into.cells.map(({ variant }) => variant)).toEqual([undefined, 'resumed']);
  });

  it('makes a regression of a spike that it lasts longer than, so that it ends as one', () => {
    const into = incident('into', 'spike', [cell('a', 'spike', 0, null)]);
    const written = batch();
    mergeIncidents(written, incident('from', 'regression', [cell('b', 'regression', 0, null)]), into, at(25));
    expect(into.kind).toBe('regression');
    expect(written.notes.filter(({ incidentId }) => incidentId === 'into').map(({ kind }) => kind)).toEqual([
      'escalated',
      'merged',
    ]);
  });
});
