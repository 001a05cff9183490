import type { Waste } from '#contract/advice.ts';
import { changeFromUsual } from '#contract/target-summary.ts';
import { type MapView, readMapView, type SearchParams } from '../filters/filter.ts';
import { type RankedTarget, troubledSince } from './rank.ts';

/** What the overview can be ordered by; `state` puts what is most urgent first. */
export const BOARD_SORTS = [
  'state',
  'name',
  'p50',
  'usual',
  'yesterday',
  'week',
  'availability',
  'waste',
  'since',
] as const;
export type BoardSort = (typeof BOARD_SORTS)[number];

/** What a reader chose on the overview; all of it stands in the URL. `reversed`: the other way than a column is first ordered. */
export type Board = {
  search: string;
  tag: string | null;
  sort: BoardSort;
  reversed: boolean;
  page: string | undefined;
  map: MapView;
};

/** More of a search than this is left out. */
const MOST_SEARCHED = 200;

export function readBoard(params: SearchParams): Board {
  const { q, tag, sort, order, page } = params;
  const text = (value: SearchParams[string]) => (typeof value === 'string' ? value : '');
  return {
    search: text(q).trim().slice(0, MOST_SEARCHED),
    tag: text(tag) || null,
    sort: BOARD_SORTS.find((each) => each === sort) ?? 'state',
    reversed: order === 'reversed',
    page: typeof page === 'string' ? page : undefined,
    map: readMapView(params),
  };
}

/** The address of the overview with this chosen; choosing the order that there is turns it round. Another order begins with its first page. */
export function boardHref(
  board: Board,
  change: { sort: BoardSort } | { page: number } | { tag: string | null } | { map: MapView },
): string {
  const chosen = { ...board, page: undefined, ...change };
  const isTurned = 'sort' in change && change.sort === board.sort;
  const reversed = 'sort' in change ? isTurned && !board.reversed : board.reversed;
  const entries = boardEntries({ ...chosen, page: 'page' in change ? String(change.page) : undefined, reversed });
  return entries.length > 0 ? `/?${new URLSearchParams(entries)}` : '/';
}

/** The search parameters that mean what is chosen, defaults left out: what links are made of, and the search carries on. */
export function boardEntries({ search, tag, sort, reversed, map, page = '' }: Board): [string, string][] {
  const all: [string, string][] = [
    ['q', search],
    ['tag', tag ?? ''],
    ['sort', sort === 'state' ? '' : sort],
    ['order', reversed ? 'reversed' : ''],
    ['map', map === 'provinces' ? '' : map],
    ['page', page],
  ];
  return all.filter(([, value]) => value !== '');
}

/** Names go up first, and so does availability, of which little is bad; all else begins with the largest. */
const ASCENDING: readonly BoardSort[] = ['name', 'availability', 'since'];

/** How the values of a column go downwards; null where another orders the rows, or none: urgency is no value. */
export function orderOf({ sort, reversed }: Board, key: BoardSort): 'ascending' | 'descending' | null {
  if (sort !== key || (key === 'state' && !reversed)) return null;
  return ASCENDING.includes(key) === reversed ? 'descending' : 'ascending';
}

/** Targets with the chosen tag whose name, address or tags have all words of the search, in any case. */
export function searchTargets(
  targets: readonly RankedTarget[],
  { search, tag }: Pick<Board, 'search' | 'tag'>,
): RankedTarget[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return targets.filter(({ target: { name, url, tags } }) => {
    const text = [name, url, ...tags].join(' ').toLowerCase();
    return (tag === null || tags.includes(tag)) && words.every((word) => text.includes(word));
  });
}

/** All tags of these targets, the most used first. */
export function tagsOf(targets: readonly RankedTarget[]): string[] {
  const counts = Map.groupBy(
    targets.flatMap(({ target: { tags } }) => tags),
    (tag) => tag,
  );
  return [...counts].sort(([a, x], [b, y]) => y.length - x.length || a.localeCompare(b)).map(([tag]) => tag);
}

/** In the chosen order, from that of urgency; those without a value are last, whichever way. */
export function sortTargets(
  ranked: readonly RankedTarget[],
  { sort, reversed }: Pick<Board, 'sort' | 'reversed'>,
  wastes: ReadonlyMap<string, Waste>,
): RankedTarget[] {
  if (sort === 'state') return reversed ? ranked.toReversed() : [...ranked];
  const sign = ASCENDING.includes(sort) === reversed ? -1 : 1;
  if (sort === 'name') return ranked.toSorted((a, b) => sign * a.target.name.localeCompare(b.target.name, 'zh-CN'));
  const valued = ranked.map((entry) => ({ entry, value: sortedBy(entry, sort, wastes) }));
  return valued
    .sort((a, b) =>
      a.value === null || b.value === null
        ? Number(a.value === null) - Number(b.value === null)
        : sign * (a.value - b.value),
    )
    .map(({ entry }) => entry);
}

function sortedBy(
  entry: RankedTarget,
  sort: Exclude<BoardSort, 'state' | 'name'>,
  wastes: ReadonlyMap<string, Waste>,
): number | null {
  const { target } = entry;
  switch (sort) {
    case 'p50':
      return target.p50;
    case 'usual':
      return changeFromUsual(target);
    case 'yesterday':
      return target.changeVsYesterday;
    case 'week':
      return target.changeVsLastWeek;
    case 'availability':
      return target.availability;
    case 'waste':
      return wastes.get(target.id)?.medianMs ?? null;
    case 'since': {
      const since = troubledSince(entry);
      return since === null ? null : Date.parse(since);
    }
  }
}
