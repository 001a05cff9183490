import { describe, expect, it } from 'vitest';
import { described } from '#components/incident/incident-text.ts';
import {
  type Board,
  boardHref,
  orderOf,
  readBoard,
  searchTargets,
  sortTargets,
  tagsOf,
} from '#components/target/board.ts';
import { describedTogether, problemsOf } from '#components/target/problems.ts';
import { rankTargets } from '#components/target/rank.ts';
import type { Waste } from '#contract/advice.ts';
import type { Incident } from '#contract/incident.ts';
import { voiceOf } from '#server/webhooks/text.ts';
import { cellAt, incidentOf, ONSET } from '../support/incident-of.ts';
import { summaryOf as target } from '../support/summary-of.ts';

const ui = { ...voiceOf('en'), theme: 'light' } as Parameters<typeof problemsOf>[0];
const NOW = Date.parse('2026-11-20T16:10:00.000Z');

const board = (given: Partial<Board> = {}): Board => ({
  search: '',
  tag: null,
  sort: 'state',
  reversed: false,
  page: undefined,
  map: 'provinces',
  ...given,
});

describe('what a reader chose on the overview', () => {
  it('is read from the address, and what is none there is left out', () => {
    expect(readBoard({})).toEqual(board());
    expect(readBoard({ q: '  shop  ', tag: 'cdn', sort: 'p50', order: 'reversed', page: '2', map: 'world' })).toEqual(
      board({ search: 'shop', tag: 'cdn', sort: 'p50', reversed: true, page: '2', map: 'world' }),
    );
    expect(readBoard({ q: ['a', 'b'], sort: 'nonsense', order: 'x' })).toEqual(board());
    expect(readBoard({ q: 'x'.repeat(300) }).search).toHaveLength(200);
  });

  it('stands in its links: a column orders, then the other way; another page keeps both, another order begins anew', () => {
    const chosen = board({ search: 'a b', sort: 'p50', page: '3' });
    expect(boardHref(chosen, { sort: 'p50' })).toBe('/?q=a+b&sort=p50&order=reversed');
    expect(boardHref({ ...chosen, reversed: true }, { sort: 'p50' })).toBe('/?q=a+b&sort=p50');
    expect(boardHref(chosen, { sort: 'name' })).toBe('/?q=a+b&sort=name');
    expect(boardHref({ ...chosen, reversed: true }, { page: 2 })).toBe('/?q=a+b&sort=p50&order=reversed&page=2');
    expect(boardHref(board({ sort: 'name' }), { sort: 'state' })).toBe('/');
    expect(boardHref(chosen, { map: 'world' })).toBe('/?q=a+b&sort=p50&map=world');
    expect(boardHref({ ...chosen, map: 'world' }, { page: 2 })).toBe('/?q=a+b&sort=p50&map=world&page=2');
  });

  it('says how the values go downwards: times from the largest, names and availability from the least', () => {
    expect(orderOf(board({ sort: 'p50' }), 'p50')).toBe('descending');
    expect(orderOf(board({ sort: 'p50', reversed: true }), 'p50')).toBe('ascending');
    expect(orderOf(board({ sort: 'availability' }), 'availability')).toBe('ascending');
    expect(orderOf(board({ sort: 'p50' }), 'name')).toBeNull();
    expect(orderOf(board(), 'state')).toBeNull();
  });
});

describe('the targets of the overview', () => {
  const waste = (medianMs: number) => ({ medianMs }) as Waste;
  const ranked = rankTargets(
    [
      target('api', { p50: 20, usual: { tls: 40 }, availability: 0.995 }),
      target('shop', { p50: 60, usual: { tls: 50 }, changeVsLastWeek: 0.4 }),
      target('new', { p50: null, changeVsYesterday: null, changeVsLastWeek: null, availability: null }),
      target('mail', { p50: 40, changeVsYesterday: 0.1 }),
    ],
    0,
  );
  const wastes = new Map([
    ['api', waste(12)],
    ['mail', waste(30)],
  ]);
  const names = (given: Partial<Board>) => sortTargets(ranked, board(given), wastes).map((each) => each.target.name);

  it('stand in the order asked for, those without a value last, whichever way', () => {
    expect(names({ sort: 'p50' })).toEqual(['shop', 'mail', 'api', 'new']);
    expect(names({ sort: 'p50', reversed: true })).toEqual(['api', 'mail', 'shop', 'new']);
    expect(names({ sort: 'usual' }).slice(0, 2)).toEqual(['shop', 'api']);
    expect(names({ sort: 'yesterday' })[0]).toBe('mail');
    expect(names({ sort: 'week' })[0]).toBe('shop');
    expect(names({ sort: 'availability' })[0]).toBe('api');
    expect(names({ sort: 'waste' }).slice(0, 2)).toEqual(['mail', 'api']);
    expect(names({ sort: 'name' })).toEqual(['api', 'mail', 'new', 'shop']);
    expect(names({ sort: 'name', reversed: true })).toEqual(['shop', 'new', 'mail', 'api']);
    expect(names({})).toEqual(ranked.map((each) => each.target.name));
  });

  it('are found by all words of a search, in names and addresses', () => {
    const found = (search: string) => searchTargets(ranked, { search, tag: null }).map((each) => each.target.name);
    expect(found('SHOP')).toEqual(['shop']);
    expect(found('example mail')).toEqual(['mail']);
    expect(found('mail shop')).toEqual([]);
    expect(found('  ')).toHaveLength(4);
  });

  it('are narrowed to a tag, and found by tags too; the most used are offered first', () => {
    const tagged = rankTargets(
      [target('a', { tags: ['cdn'] }), target('b', { tags: ['team/pay', 'cdn'] }), target('c', { tags: ['alpha'] })],
      0,
    );
    const found = (given: Partial<Board>) =>
      searchTargets(tagged, board(given))
        .map((each) => each.target.name)
        .sort();
    expect(found({ tag: 'cdn' })).toEqual(['a', 'b']);
    expect(found({ tag: 'cdn', search: 'PAY' })).toEqual(['b']);
    expect(found({ tag: 'Cdn' })).toEqual([]);
    expect(tagsOf(tagged)).toEqual(['cdn', 'alpha', 'team/pay']);
    expect(boardHref(board({ sort: 'p50', reversed: true }), { tag: 'team/pay' })).toBe(
      '/?tag=team%2Fpay&sort=p50&order=reversed',
    );
    expect(boardHref(board({ tag: 'cdn', search: 'x' }), { tag: null })).toBe('/?q=x');
  });
});

describe('problems', () => {
  const unicom = { region: 'CN-GD', carrier: 'unicom' };
  const at = (n: number, given: Partial<Incident> = {}, carrier = 'unicom') =>
    incidentOf([cellAt({ target: n, ...unicom, carrier })], [unicom, { ...unicom, carrier }], {
      id: `incident ${n}`,
      ...given,
    });

  it('of several targets with one cause in one place are one, with their names and since the first', () => {
    const problems = problemsOf(
      ui,
      [at(1), at(2, { onsetAt: '2026-11-20T16:01:00.000Z' }), at(3, {}, 'mobile'), at(4, { cause: 'tls' })],
      NOW,
    );
    expect(problems.map(({ incidents }) => incidents.map(({ id }) => id))).toEqual([
      ['incident 2', 'incident 1'],
      ['incident 3'],
      ['incident 4'],
    ]);
    const [first] = problems;
    if (!first) throw new Error('none');
    expect(described(ui, describedTogether(first), NOW).about).toBe(
      'Guangdong Unicom · target-1, target-2, since 16:01, probable cause: network',
    );
  });

  it('of more targets than three have their number, and one alone its effect', () => {
    const [many] = problemsOf(
      ui,
      [1, 2, 3, 4].map((n) => at(n)),
      NOW,
    );
    const [one] = problemsOf(ui, [at(1)], NOW);
    if (!many || !one) throw new Error('none');
    expect(described(ui, describedTogether(many), NOW).about).toContain('Guangdong Unicom · 4 targets, since');
    expect(described(ui, describedTogether(one), NOW).about).toBe(
      'target-1 · Guangdong Unicom, TLS +47 ms (+85%) since 16:03, probable cause: network',
    );
  });

  it('come as they are urgent: for everybody before a staple, what stands and what is acknowledged last; a single series that nobody is told of is no matter for a look', () => {
    const problems = problemsOf(
      ui,
      [
        at(1, { kind: 'staple', metric: null, cause: null, effectMs: null, effectRatio: null }),
        at(2, { status: 'acknowledged' }),
        at(3, { standingSince: ONSET }),
        at(4, { impact: { share: 1, excessMs: 62, weightedMs: 62 } }, 'mobile'),
        at(5),
        at(6, { heldUntil: '2026-11-20T16:20:00.000Z' }),
      ],
      NOW,
    );
    expect(problems.map(({ incidents, look }) => [incidents[0].id, look])).toEqual([
      ['incident 4', true],
      ['incident 5', true],
      ['incident 6', false],
      ['incident 1', true],
      ['incident 3', false],
      ['incident 2', false],
    ]);
  });
});
