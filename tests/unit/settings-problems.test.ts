import { expect, test } from 'vitest';
import { settingProblems } from '#contract/settings-problems.ts';
import { ProbeSettings } from '#contract/target.ts';

const problemsOf = (given: object) => settingProblems(ProbeSettings.parse(given)).map(({ field }) => field);

test('settings that go together have no problem', () => {
  expect(problemsOf({})).toEqual([]);
  expect(problemsOf({ address: '192.0.2.1', family: 4 })).toEqual([]);
  expect(problemsOf({ address: '2001:db8::1', family: 6, alpn: ['http/1.1', 'h2'] })).toEqual([]);
});

test('a fixed address of the other family is refused before every probe fails by it', () => {
  expect(problemsOf({ address: '192.0.2.1', family: 6 })).toEqual(['address']);
  expect(problemsOf({ address: '2001:db8::1', family: 4 })).toEqual(['address']);
});

test('a compressed body is not searched for text', () => {
  expect(problemsOf({ compression: true })).toEqual([]);
  expect(problemsOf({ compression: true, expect: { bodyLacks: 'error' } })).toEqual(['compression']);
});

test('a protocol is offered once', () => {
  expect(problemsOf({ alpn: ['h2', 'h2'] })).toEqual(['alpn.1']);
});
