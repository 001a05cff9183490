import { describe, expect, it } from 'vitest';
import { type DetectionGroup, sizeOf, type Ungrouped } from '#analysis/detection/group.ts';
import { groupDetections } from '#analysis/detection/grouping.ts';

const START = 1_767_600_000;
const MINUTE = 60;
const CARRIERS = ['telecom', 'unicom', 'mobile'];
const TARGETS = ['shop', 'pay'];
const REGIONS = Array.from({ length: 10 }, (_, index) => `region ${index}`);

/** A spike on one series, a minute after its onset. */
function spikeOn(target: string, region: number, carrier: string, minutes: number, more: Partial<Ungrouped> = {}) {
  const index = (TARGETS.indexOf(target) * REGIONS.length + region) * CARRIERS.length + CARRIERS.indexOf(carrier);
  const changeAt = START + minutes * MINUTE;
  const place = { target, vantage: `${region} ${carrier}`, country: 'CN', region: REGIONS[region] ?? '', carrier };
  const found = {
    kind: 'spike' as const,
    metric: 'tls' as const,
    cause: 'network' as const,
    changeAt,
    at: changeAt + 60,
    effect: 0.7,
    ms: 40,
  };
  return { ...place, index, period: 60, ...found, ...more };
}

/** Plays detections one by one; what they joined, and what became of groups. */
function play(detections: readonly Ungrouped[], openSince: (index: number) => number | null = () => null) {
  const all: DetectionGroup[] = [];
  const outcomes = detections.map((each) => groupDetections(all, [each], openSince));
  return { all, changes: outcomes.flatMap(({ changes }) => changes), groups: outcomes.flatMap(({ groups }) => groups) };
}

const carrierWide = (carrier: string, minutes: number) =>
  REGIONS.map((_, region) => spikeOn('shop', region, carrier, minutes + region));
const targetWide = (target: string, minutes: number, cause: 'server' | 'tls' = 'server') =>
  CARRIERS.flatMap((carrier) =>
    REGIONS.map((_, region) => spikeOn(target, region, carrier, minutes + region / 10, { cause })),
  );

describe('an event', () => {
  it('of a carrier, or of a target, is one, also where one series has an odd cause', () => {
    const odd = spikeOn('shop', 9, 'telecom', 2, { cause: 'server' });
    expect(play([...carrierWide('telecom', 0).slice(0, 9), odd]).all).toHaveLength(1);
    const stray = spikeOn('pay', 3, 'unicom', 2);
    expect(play([...targetWide('pay', 0).filter(({ index }) => index !== stray.index), stray]).all).toHaveLength(1);
  });

  it('grows with its members: a roll-out over two hours is one', () => {
    const found = targetWide('shop', 0).map((each, index) => ({
      ...each,
      changeAt: START + index * 4 * MINUTE,
      at: START + index * 4 * MINUTE + 60,
    }));
    expect(play(found).all).toHaveLength(1);
  });

  it('is another one hours later, unless the first goes on', () => {
    const late = targetWide('shop', 3 * 60);
    const first = targetWide('shop', 0);
    expect(play([...first, ...late]).all).toHaveLength(2);
    const onsets = new Map(first.map(({ index, changeAt }) => [index, changeAt]));
    const other = { ...spikeOn('shop', 0, 'telecom', 180, { cause: 'server' }), index: 999 };
    expect(play([...first, other], (index) => onsets.get(index) ?? null).all).toHaveLength(1);
    expect(play([...first, other]).all).toHaveLength(2);
  });

  it('inside another one has a group of its own, and both keep their series', () => {
    const { all } = play([...carrierWide('telecom', 0), ...targetWide('shop', 25)]);
    expect(all.map(({ cause }) => cause)).toEqual(['network', 'server']);
    expect(all.map(sizeOf)).toEqual([10, 30]);
  });

  it('that begins after another one has become quiet is another one, though its scope is the same', () => {
    const next = targetWide('shop', 40);
    const first = targetWide('shop', 0).map((each) => ({ ...each, index: each.index + 1_000 }));
    const onsets = new Map(first.map(({ index, changeAt }) => [index, changeAt]));
    expect(play([...first, ...next], (index) => onsets.get(index) ?? null).all).toHaveLength(1);
    expect(play([...first, ...next]).all).toHaveLength(2);
  });

  it('of the way to one target is one at all carriers, and so is one of a few regions', () => {
    const uplink = CARRIERS.flatMap((carrier) => carrierWide(carrier, 0));
    const ofTarget = play(uplink);
    expect(ofTarget.all).toHaveLength(1);
    const south = CARRIERS.flatMap((carrier) =>
      TARGETS.flatMap((target) => [1, 2, 3].map((region) => spikeOn(target, region, carrier, region))),
    );
    expect(play(south).all.map(sizeOf)).toEqual([18]);
    // Two carriers everywhere are two events.
    const everywhere = (carrier: string) =>
      TARGETS.flatMap((target) => REGIONS.map((_, region) => spikeOn(target, region, carrier, region / 10)));
    expect(play([...everywhere('telecom'), ...everywhere('unicom')]).all).toHaveLength(2);
  });

  it('that lasts is what spikes were the beginning of while they go on; of those that are over it only has the onset', () => {
    const spikes = targetWide('shop', 0);
    const lasting = (each: Ungrouped) => ({ ...each, kind: 'regression' as const, at: START + 10 * 60 * MINUTE });
    const some = spikes.slice(0, 6).map(lasting);
    expect(play([...spikes, ...some]).all.map(sizeOf)).toEqual([30, 6]);
    expect(play([...spikes, ...some], () => START).all.map(sizeOf)).toEqual([30]);
    // What is found to last is in its spike no more: half of them at one instant say the same.
    const { all } = play(spikes);
    groupDetections(all, spikes.map(lasting), () => null);
    expect(all.map(sizeOf)).toEqual([30]);
  });

  it('that took over an hour to be believed has the lasting change that it was the beginning of', () => {
    const onset = START - 80 * MINUTE;
    const spike = spikeOn('shop', 0, 'telecom', -80, { cause: 'tls', at: START });
    const lasting = {
      ...spike,
      kind: 'regression' as const,
      changeAt: onset - 25 * MINUTE,
      at: START + 3 * 60 * MINUTE,
    };
    expect(play([spike, lasting], () => onset).all).toHaveLength(1);
  });

  it('of what became better is not one of what became worse', () => {
    const better = targetWide('shop', 5).map((each) => ({ ...each, kind: 'improvement' as const }));
    expect(play([...targetWide('shop', 0), ...better]).all).toHaveLength(2);
  });

  it('of one vantage is no other vantage’s of the same carrier half an hour later', () => {
    const at = (region: number, minutes: number) => TARGETS.map((target) => spikeOn(target, region, 'mobile', minutes));
    expect(play([...at(1, 0), ...at(2, 40)]).all).toHaveLength(2);
  });
});

describe('groups', () => {
  it('merge once one lies in the shadow of the other, into the larger', () => {
    const [first, ...others] = carrierWide('telecom', 0);
    const odd = { ...(first as Ungrouped), cause: 'server' as const };
    const { all, changes } = play([odd, ...others]);
    expect(all).toHaveLength(1);
    expect(changes.map(({ kind }) => kind)).toEqual(['merge']);
    expect(changes[0]).toMatchObject({ group: { cause: 'server', target: 'shop' }, into: { carrier: 'telecom' } });
    expect(sizeOf(all[0] as DetectionGroup)).toBe(10);
  });

  it('stay where others merge', () => {
    const stray = spikeOn('pay', 9, 'mobile', -600);
    const uplink = CARRIERS.flatMap((carrier) => carrierWide(carrier, 0));
    const { all, changes } = play([...uplink.slice(0, 8), ...uplink.slice(10, 18), stray, ...uplink.slice(20, 28)]);
    expect(changes.filter(({ kind }) => kind === 'merge').length).toBeGreaterThan(0);
    expect(all.map(sizeOf).sort((a, b) => a - b)).toEqual([1, 24]);
  });

  it('that come and merge within an instant are told of as one', () => {
    const all: DetectionGroup[] = [];
    const [first, ...others] = carrierWide('telecom', 0);
    const odd = { ...(first as Ungrouped), cause: 'server' as const };
    const { groups, changes } = groupDetections(all, [odd, ...others], () => null);
    expect(new Set(groups).size).toBe(1);
    expect(changes).toEqual([]);
  });

  it('have the cause of most members, and say when it changes', () => {
    const [first, second, ...others] = targetWide('shop', 0);
    const { all, changes } = play([
      ...[first, second].map((each) => ({ ...(each as Ungrouped), cause: 'tls' as const })),
      ...others,
    ]);
    expect(all).toHaveLength(1);
    expect(all[0]?.cause).toBe('server');
    expect(changes).toMatchObject([{ kind: 'cause', cause: 'server', group: { cause: 'tls', target: 'shop' } }]);
  });

  it('ask TLS time for the cause before other metrics', () => {
    const both = targetWide('shop', 0).flatMap((each) => [
      each,
      { ...each, metric: 'firstByte' as const, cause: 'tls' as const },
    ]);
    const { all } = play(both);
    expect(all.map(({ cause }) => cause)).toEqual(['server']);
  });
});
