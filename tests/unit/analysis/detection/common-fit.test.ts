import { expect, it } from 'vitest';
import { type Node, nodesOf } from '#analysis/detection/common/fit.ts';
import { lessEvenings, locationsOf } from '#analysis/detection/common/location.ts';
import type { Moved } from '#analysis/detection/common/moved.ts';

/** Six vantages of a target at a carrier, whose paths and work moved by so much in every half hour. */
function cell(target: string, carrier: string, own: { share: number; evening: number; path: number; work?: number }) {
  const { share, evening, path, work = 0 } = own;
  return Array.from(
    { length: 6 },
    (_, at): Omit<Moved, 'index'> => ({
      target,
      carrier,
      region: `region ${at}`,
      tls: new Float64Array(13).fill(share * path + work),
      path: new Float64Array(13).fill(path),
      share,
      amplitude: evening,
      spread: 0.02,
      height: 0,
      sigma: 0.01,
    }),
  );
}

function nodesBy(cells: readonly Omit<Moved, 'index'>[]): Map<string, Node> {
  const steps = nodesOf(cells.map((each, index) => ({ ...each, index })));
  for (let step = steps.next(); ; step = steps.next())
    if (step.done) return new Map(step.value.map((node) => [node.key.replaceAll('\n', ' '), node]));
}

const movedBy = (nodes: ReadonlyMap<string, Node>, key: string) => nodes.get(key)?.distances[0];

it('takes an evening off in the proportion in which each target has it', () => {
  const nodes = nodesBy(
    ['telecom', 'unicom'].flatMap((carrier) => [
      ...cell('far', carrier, { share: 0.95, evening: 0.4, path: 0.12 }),
      ...cell('busy', carrier, { share: 0.5, evening: 0.4, path: 0.12 }),
      ...cell('near', carrier, { share: 0.3, evening: 0.1, path: 0.03 }),
    ]),
  );
  for (const target of ['far', 'busy', 'near']) {
    expect(movedBy(nodes, `target ${target} work`)).toBeCloseTo(0);
    expect(movedBy(nodes, `target ${target} besides`)).toBeCloseTo(0);
    expect(movedBy(nodes, `cell ${target} unicom besides`)).toBeCloseTo(0);
  }
  // What the path explains of the middle one of three.
  expect(movedBy(nodes, 'carrier unicom')).toBeCloseTo(0.06);
});

it('says how far siblings are apart about what is taken off', () => {
  const of = (evenings: readonly number[]) =>
    nodesBy(evenings.flatMap((path, at) => cell(`target ${at}`, 'telecom', { share: 1, evening: 0.4, path }))).get(
      'cell target 0 telecom besides',
    )?.apart;
  expect(of([0.1, 0.1, 0.1])).toBeCloseTo(0);
  expect(of([0.1, 0.02, 0.08])).toBeCloseTo(0.03);
  // One sibling alone may be half wrong.
  expect(of([0.1, 0.08])).toBeCloseTo(0.04);
});

it('does not take two busy targets of three for their carrier', () => {
  const nodes = nodesBy(
    ['telecom', 'unicom'].flatMap((carrier) => [
      ...cell('shop', carrier, { share: 0.6, evening: 0.4, path: 0, work: 0.05 }),
      ...cell('api', carrier, { share: 0.6, evening: 0.4, path: 0, work: 0.04 }),
      ...cell('cdn', carrier, { share: 0.6, evening: 0.4, path: 0 }),
    ]),
  );
  expect(movedBy(nodes, 'carrier telecom')).toBeCloseTo(0);
  expect(movedBy(nodes, 'target shop work')).toBeCloseTo(0.05);
  expect(movedBy(nodes, 'target api besides')).toBeCloseTo(0.04);
  expect(movedBy(nodes, 'target cdn work')).toBeCloseTo(0);
});

it('sees a path that is longer to one target alone', () => {
  const nodes = nodesBy([
    ...cell('shop', 'telecom', { share: 0.8, evening: 0.4, path: 0.05 }),
    ...cell('api', 'telecom', { share: 0.8, evening: 0.4, path: 0 }),
    ...cell('cdn', 'telecom', { share: 0.8, evening: 0.4, path: 0 }),
  ]);
  expect(movedBy(nodes, 'target shop work')).toBeCloseTo(0);
  expect(movedBy(nodes, 'target shop besides')).toBeCloseTo(0.04);
});

it('looks at a target whole where there is no other one, and where connect is not known', () => {
  expect([...nodesBy(cell('shop', 'telecom', { share: 0.8, evening: 0.4, path: 0.05 })).keys()]).toEqual([
    'target shop work',
    'target shop',
    'target shop evened',
    'cell shop telecom work',
  ]);
  const unknown = cell('shop', 'telecom', { share: 0.8, evening: 0.4, path: 0.05 });
  expect([...nodesBy(unknown.map((each) => ({ ...each, path: null }))).keys()]).toEqual(['target shop']);
});

it('weighs series by how quiet they are, and none by more than its own noise', () => {
  const rows = (values: readonly number[]) => values.map((value) => Float64Array.of(value));
  const quiet = [0.03, 0.03, 0.03, 0.03, 0.03];
  const restless = [0, 0, 0, 0, 0];
  const sigmas = [...quiet.map(() => 0.005), ...restless.map(() => 0.1)];
  // The median is halfway.
  expect(locationsOf(rows([...quiet, ...restless]), sigmas)[0]).toBeCloseTo(0.0246, 4);
  const one = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  expect(
    locationsOf(
      rows(one),
      one.map(() => 0.01),
    )[0],
  ).toBeCloseTo(0.001, 4);
});

it('tells a step from an evening that is higher by what is alike on paths of low and of high evenings', () => {
  const evenings = Array.from({ length: 31 }, (_, at) => 0.1 + 0.01 * at);
  const meanOf = (rows: readonly Float64Array[]) => rows.reduce((sum, row) => sum + (row[0] as number), 0) / 31;
  const step = lessEvenings(
    evenings.map(() => Float64Array.of(0.03)),
    evenings,
    0.2,
  );
  expect(meanOf(step.rows)).toBeCloseTo(0.03);
  const higher = evenings.map((evening) => Float64Array.of(0.2 * evening));
  const evened = lessEvenings(higher, evenings, 0.2);
  expect(meanOf(higher)).toBeCloseTo(0.05);
  expect(Math.abs(meanOf(evened.rows))).toBeLessThan(0.015);
  expect(evened.left).toBeLessThan(0.5);
  // Where no evening deviates, as at noon, what is in proportion to evenings is no evening.
  const noon = lessEvenings(higher, evenings, 0.001);
  expect(meanOf(noon.rows)).toBeCloseTo(0.05);
  expect(noon.left).toBeCloseTo(1);
});
