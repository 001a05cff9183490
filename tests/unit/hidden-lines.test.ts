import { expect, it } from 'vitest';
import { hiddenAfter } from '#components/charts/hidden-lines.ts';

const names = ['telecom', 'unicom', 'mobile'];

it.each([
  ['alone, the first time', [], 'unicom', false, ['telecom', 'mobile']],
  ['alone, after another one', ['unicom', 'mobile'], 'unicom', false, ['telecom', 'mobile']],
  ['with all others, where it was alone', ['telecom', 'mobile'], 'unicom', false, []],
  ['alone, where some were hidden', ['telecom'], 'unicom', false, ['telecom', 'mobile']],
  ['no more, by the key that keeps the others', ['telecom'], 'unicom', true, ['telecom', 'unicom']],
  ['again, by the key that keeps the others', ['telecom', 'unicom'], 'unicom', true, ['telecom']],
])('a pressed line is shown %s', (_how, before, name, toggle, after) => {
  expect([...hiddenAfter(new Set(before), { names, name, toggle })]).toEqual(after);
});
