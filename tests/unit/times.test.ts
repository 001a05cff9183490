import { expect, it } from 'vitest';
import { ProberReport } from '#contract/ingest.ts';
import { time } from '#contract/query.ts';
import { normalise } from '#server/ingest/normalise.ts';

it.each([
  ['2026-11-24t08:00:00z', '2026-11-24T08:00:00Z'],
  ['2026-11-24t08:00:00.25+08:00', '2026-11-24T08:00:00.25+08:00'],
  ['2026-11-24T08:00:00Z', '2026-11-24T08:00:00Z'],
])('RFC 3339 has its letters in both sizes: %s', (given, taken) => {
  expect(time.parse(given)).toBe(taken);
});

it('a result and a report have them in both sizes, too', () => {
  const sent = { startedAt: '2026-11-24t08:00:00.25+08:00', tls: { staple: { thisUpdate: '2026-11-24t00:00:00z' } } };
  expect(normalise(sent, [], new Map())).toMatchObject({
    startedAt: '2026-11-24T00:00:00.250Z',
    tls: { staple: { thisUpdate: '2026-11-24T00:00:00.000Z' } },
  });
  expect(ProberReport.shape.since.parse('2026-11-24t08:00:00z')).toBe('2026-11-24T08:00:00Z');
  expect(ProberReport.shape.since.safeParse('0000-01-01t00:00:00z').success).toBe(false);
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
