import { expect, it } from 'vitest';
import { type Node, nodesOf } from '#analysis/detection/common/fit.ts';
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
    'cell shop telecom work',
  ]);
  const unknown = cell('shop', 'telecom', { share: 0.8, evening: 0.4, path: 0.05 });
  expect([...nodesBy(unknown.map((each) => ({ ...each, path: null }))).keys()]).toEqual(['target shop']);
});
