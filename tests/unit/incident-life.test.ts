import { describe, expect, it } from 'vitest';
import { IncidentPatch } from '#contract/incident.ts';
import { costOf, decidedAt, isSmall, nextOf, overAt, SMALL_CHANGE, stateOf } from '#server/incidents/life.ts';
import { cellOf, type IncidentRecord, type StoredCell } from '#server/incidents/stored-incident.ts';

const NOON = Date.parse('2026-11-20T12:00:00Z');
const HOUR = 3_600_000;
const at = (hours: number) => new Date(NOON + hours * HOUR);

const cell = (given: Partial<StoredCell> = {}): StoredCell => ({
  ...cellOf({
    targetId: 't',
    vantageId: 'v',
    region: 'CN-BJ',
    carrier: 'telecom',
    kind: 'regression',
    metric: 'tls',
    at: at(0),
    beforeMs: 50,
    afterMs: 70,
  }),
  ...given,
});

describe('the state of an incident', () => {
  const of = (given: Partial<IncidentRecord>, quietSince: Date | null = null) =>
    stateOf({ status: 'open', resolution: null, standingSince: null, ...given }, quietSince);

  it.each([
    ['open', {}, null],
    ['open', { status: 'acknowledged' }, null],
    ['quiet', {}, at(1)],
    ['standing', { standingSince: at(48) }, null],
    ['standing', { standingSince: at(48), status: 'acknowledged' }, null],
    ['resolved', { status: 'resolved', resolution: 'rolled_back', standingSince: at(48) }, null],
    ['resolved', { status: 'resolved', resolution: null }, null],
    ['accepted', { status: 'resolved', resolution: 'accepted', standingSince: at(48) }, null],
  ] as const)('is %s', (state, given, quietSince) => {
    expect(of(given, quietSince)).toBe(state);
  });
});

describe('a lasting change', () => {
  it('is small below 10% or 10 ms, and never where its size is not known', () => {
    expect(SMALL_CHANGE).toEqual({ ratio: 0.1, ms: 10, share: 0.1 });
    expect(isSmall([cell({ beforeMs: 5, afterMs: 14.9 })])).toBe(true);
    expect(isSmall([cell({ beforeMs: 500, afterMs: 549 })])).toBe(true);
    expect(isSmall([cell({ beforeMs: 100, afterMs: 110.1 })])).toBe(false);
    expect(isSmall([cell({ beforeMs: null })])).toBe(false);
    expect(isSmall([])).toBe(false);
  });

  it('of refused sessions is small below a tenth of them, whatever it costs in ms', () => {
    const refused = (beforeMs: number | null, afterMs: number) => cell({ metric: 'refused', beforeMs, afterMs });
    expect(isSmall([refused(0, 0.09)])).toBe(true);
    expect(isSmall([refused(0, 1)])).toBe(false);
    expect(isSmall([refused(null, 0.05)])).toBe(false);
    expect(isSmall([refused(0, 1), cell({ afterMs: 54 })])).toBe(false);
    expect(isSmall([refused(0, 0.05), cell()])).toBe(false);
  });

  it('is decided 48 hours after its onset, and not before it was found', () => {
    const decided = (openedAt: Date, reopenedAt: Date | null = null) =>
      decidedAt({ onsetAt: at(0), openedAt, reopenedAt });
    expect(decided(at(5))).toEqual(at(48));
    expect(decided(at(60))).toEqual(at(60));
    expect(decided(at(5), at(50))).toEqual(at(98));
  });

  it('says what becomes of it by itself', () => {
    const incident = (cells: StoredCell[], given: Partial<IncidentRecord> = {}) =>
      ({
        kind: 'regression',
        status: 'open',
        standingSince: null,
        onsetAt: at(0),
        openedAt: at(5),
        reopenedAt: null,
        cells,
        ...given,
      }) as IncidentRecord;
    const due = at(48).toISOString();
    expect(nextOf(incident([cell()]), null)).toEqual({ state: 'standing', at: due });
    expect(nextOf(incident([cell({ afterMs: 54 })]), null)).toEqual({ state: 'accepted', at: due });
    // What came down again says nothing about what lasts.
    const over = cell({ vantageId: 'w', afterMs: 300, recoveredAt: at(9).toISOString() });
    expect(nextOf(incident([cell({ afterMs: 54 }), over]), null)).toEqual({ state: 'accepted', at: due });
    expect(nextOf(incident([cell()], { standingSince: at(48) }), null)).toBeNull();
    expect(nextOf(incident([cell()], { status: 'resolved' }), null)).toBeNull();
    const spike = incident([cell({ kind: 'spike' })], { kind: 'spike' });
    expect(nextOf(spike, null)).toBeNull();
    const failing = incident([cell({ kind: 'spike', metric: 'failures', beforeMs: 0, afterMs: 1 })], { kind: 'spike' });
    expect(nextOf(failing, null)).toEqual({ state: 'standing', at: due });
    expect(nextOf(spike, at(1))).toEqual({ state: 'resolved', at: at(1).toISOString() });
  });
});

describe('when an incident was over', () => {
  const ended = (given: Partial<IncidentRecord>) =>
    overAt({ kind: 'spike', resolution: 'recovered', resolvedAt: at(30), reopenedAt: null, cells: [], ...given });
  const over = (hours: number) => cell({ recoveredAt: at(hours).toISOString() });

  it.each(['recovered', 'rolled_back'] as const)(
    'is when its series were as before, not when that was known (%s)',
    (resolution) => {
      expect(ended({ resolution, cells: [over(5), over(4)] })).toEqual(at(5));
      const many = Array.from({ length: 9 }, () => over(5));
      expect(ended({ resolution, cells: [over(20), ...many] })).toEqual(at(5));
    },
  );

  it('is of the last time where it came back', () => {
    const first = Array.from({ length: 29 }, () => over(1));
    expect(ended({ reopenedAt: at(2), cells: [...first, over(4), over(5)] })).toEqual(at(5));
  });

  it('is when it was resolved where that is all that is known', () => {
    expect(ended({ resolution: 'by_hand', cells: [over(5)] })).toEqual(at(30));
    expect(ended({ cells: [over(5), cell()] })).toEqual(at(30));
    expect(ended({})).toEqual(at(30));
    expect(ended({ resolution: null, resolvedAt: null })).toBeNull();
  });

  it('is not known of an improvement and an accepted level: they go on', () => {
    expect(ended({ resolution: 'accepted', cells: [over(5)] })).toBeNull();
    expect(ended({ kind: 'improvement', resolution: null })).toBeNull();
  });
});

describe('the cost of a lasting change', () => {
  it('is its hours, the mean excess of its series, each by how long it was slower, and its share of users', () => {
    const half = cell({ vantageId: 'w', afterMs: 110, recoveredAt: at(25).toISOString() });
    const cost = costOf({ onsetAt: at(0), cells: [cell(), half], userShare: 0.3 }, at(100));
    expect(cost).toEqual({ hours: 100, meanExcessMs: (20 * 100 + 60 * 25) / 125, users: 0.3 });
  });

  it('is of what lasts, not of a spike that it began with', () => {
    const spike = cell({ kind: 'spike', afterMs: 400, recoveredAt: at(1).toISOString() });
    const phase = cell({ metric: 'firstByte', beforeMs: 150, afterMs: 210 });
    const cost = costOf({ onsetAt: at(0), cells: [spike, phase], userShare: null }, at(100));
    expect(cost).toEqual({ hours: 100, meanExcessMs: 60, users: null });
  });

  it('leaves shares of failures out, and is unknown without levels', () => {
    const failures = cell({ metric: 'failures', beforeMs: 0, afterMs: 0.4 });
    const of = (cells: StoredCell[]) => costOf({ onsetAt: at(0), cells, userShare: null }, at(10));
    expect(of([cell(), failures])).toEqual({ hours: 10, meanExcessMs: 20, users: null });
    expect(of([cell({ beforeMs: null })])).toBeNull();
  });
});

describe('what a person says of an incident', () => {
  const fields = (body: unknown) => IncidentPatch.safeParse(body).error?.issues.map(({ path }) => path.join('.'));
  const id = '01970000-0000-7000-8000-000000000009';

  it('names what it needs, and nothing that goes with something else', () => {
    expect(fields({ action: 'merge' })).toEqual(['into']);
    expect(fields({ action: 'split' })).toEqual(['cells']);
    expect(fields({ action: 'split', cells: [] })).toEqual(['cells']);
    expect(fields({ action: 'accept', into: id })).toEqual(['into']);
    expect(fields({ action: 'merge', into: id, cells: [{ targetId: id, vantageId: id }] })).toEqual(['cells']);
    expect(fields({ action: 'forget' })).toEqual(['action']);
    expect(IncidentPatch.parse({ action: 'not_useful' })).toEqual({ action: 'not_useful', note: '' });
  });
});
