import { expect, it } from 'vitest';
import { time } from '#contract/query.ts';

it.each([
  ['2026-11-24t08:00:00z', '2026-11-24T08:00:00Z'],
  ['2026-11-24t08:00:00.25+08:00', '2026-11-24T08:00:00.25+08:00'],
  ['2026-11-24T08:00:00Z', '2026-11-24T08:00:00Z'],
])('RFC 3339 has its letters in both sizes: %s', (given, taken) => {
  expect(time.parse(given)).toBe(taken);
});

it('says what became of a + that an address did not escape', () => {
  const search = new URLSearchParams('from=2026-11-24T08:00:00+08:00');
  const { error } = time.safeParse(search.get('from'));
  expect(error?.issues.map(({ message }) => message)).toEqual([
    'has a space in its offset: write + as %2B in an address',
  ]);
  for (const wrong of ['2026-11-24', 'now', '2026-11-24T08:00:00', '1969-12-31T23:59:59z'])
    expect(
      time
        .safeParse(wrong)
        .error?.issues.map(({ message }) => message)
        .join(),
    ).not.toContain('%2B');
});
