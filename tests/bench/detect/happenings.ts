import { type CauseChange, type Merge, seriesKey } from './detection.ts';
import { eventsNear, type Judgement, type Verdict } from './judge.ts';
import type { EventLabel } from './world/labels.ts';

/** Pages that merged within so many seconds count as one. */
const MERGED_WITHIN = 15 * 60;
/** What is less than this of its level, or of a millisecond, is no page: spikes and lasting changes. */
const TRIVIAL = { spike: { ratio: 0.2, ms: 9 }, lasting: { ratio: 0.05, ms: 3 } };

/**
 * Pages of one world against what happened in it. A happening is all that its events and their rollback are by name; a detection belongs
 * to the one whose event it found, judged or not.
 */
export type PageCounts = {
  happenings: number;
  /** Pages on which a happening is seen, summed. */
  pages: number;
  /** Pages with more than one happening, and all with at least one. */
  mixed: number;
  right: number;
  /** Happenings of which nine in ten of the series that were found are on one page. */
  whole: number;
  /** Happenings whose main page has their cause at its end, of those whose cause is judged. */
  cause: number;
  causes: number;
  /** Pages without a happening, and of them those of one series. */
  false: number;
  falseAlone: number;
  /** Pages of nothing but what is too small to show. */
  trivial: number;
  /** Days that were judged. */
  days: number;
};

export function countPages(
  judgements: readonly Judgement[],
  merges: readonly Merge[],
  causes: readonly CauseChange[],
): PageCounts {
  const shown = judgements
    .flatMap(({ series, events, verdicts }) => verdicts.map((verdict) => ({ series, events, verdict })))
    .filter(({ series, verdict: { detection } }) => detection.page !== false && detection.at >= series.warmUpEnd);
  const openedAt = new Map<string, number>();
  for (const { verdict } of shown) {
    const page = rawPageOf(verdict);
    openedAt.set(page, Math.min(openedAt.get(page) ?? Number.POSITIVE_INFINITY, verdict.detection.at));
  }
  const rootOf = roots(openedAt, merges);
  const pages = new Map(
    [...Map.groupBy(shown, ({ verdict }) => rootOf(rawPageOf(verdict)))].map(([page, all]) => [page, attributed(all)]),
  );
  const counts: PageCounts = {
    happenings: 0,
    pages: 0,
    mixed: 0,
    right: 0,
    whole: 0,
    cause: 0,
    causes: 0,
    false: 0,
    falseAlone: 0,
    trivial: 0,
    days: Math.max(0, ...judgements.map(({ series }) => series.to - series.warmUpEnd)) / 86_400,
  };
  const byHappening = new Map<string, Map<string, Verdict[]>>();
  for (const [page, verdicts] of pages) {
    const names = new Set(verdicts.flatMap(({ event }) => event?.incident ?? []));
    if (names.size === 0) {
      counts.false += 1;
      if (new Set(verdicts.map(({ detection }) => seriesKey(detection))).size === 1) counts.falseAlone += 1;
    } else counts.right += 1;
    if (names.size > 1) counts.mixed += 1;
    if (verdicts.some(({ event }) => event) && verdicts.every(({ event }) => event === null || isTrivial(event)))
      counts.trivial += 1;
    for (const name of names) {
      const own = byHappening.get(name) ?? new Map<string, Verdict[]>();
      own.set(
        page,
        verdicts.filter(({ event }) => event?.incident === name),
      );
      byHappening.set(name, own);
    }
  }
  for (const own of byHappening.values()) {
    counts.happenings += 1;
    counts.pages += own.size;
    const seriesOn = (verdicts: readonly Verdict[]) =>
      new Set(verdicts.map(({ detection }) => seriesKey(detection))).size;
    const [main, verdicts] = [...own].sort(([, a], [, b]) => seriesOn(b) - seriesOn(a))[0] as [string, Verdict[]];
    if (seriesOn(verdicts) >= 0.9 * seriesOn([...own.values()].flat())) counts.whole += 1;
    const event = verdicts[0]?.event;
    if (!event?.causeJudged) continue;
    counts.causes += 1;
    if (causeOf(main, pages.get(main) ?? [], causes, rootOf) === event.cause) counts.cause += 1;
  }
  return counts;
}

type Shown = Pick<Judgement, 'series' | 'events'> & { verdict: Verdict };

/**
 * The happening of each detection of a page. While two go on on a series, as where a server is busy inside a congestion, a
 * detection there may be of either: it is of the one that most of its page is of, else of the one that began nearest to its onset.
 */
function attributed(shown: readonly Shown[]): Verdict[] {
  const near = shown.map(({ series, events, verdict }) =>
    verdict.event ? eventsNear(events, verdict.detection, series.periodSeconds) : [],
  );
  const votes = new Map<string, number>();
  for (const [only, ...others] of near)
    if (only && others.length === 0) votes.set(only.incident, (votes.get(only.incident) ?? 0) + 1);
  const votesOf = ({ incident }: EventLabel) => votes.get(incident) ?? 0;
  return shown.map(({ verdict }, index) => {
    const [first = verdict.event, ...others] = near[index] ?? [];
    return {
      ...verdict,
      event: others.reduce((best, each) => (best && votesOf(best) >= votesOf(each) ? best : each), first),
    };
  });
}

/** What a page's cause is in the end: the last that was said of it, or that of its first detection. */
function causeOf(
  page: string,
  verdicts: readonly Verdict[],
  causes: readonly CauseChange[],
  rootOf: (page: string) => string,
): string | undefined {
  const said = causes.filter(({ incident }) => rootOf(incident) === page).at(-1);
  return said?.cause ?? [...verdicts].sort((a, b) => a.detection.at - b.detection.at)[0]?.detection.cause;
}

const rawPageOf = ({ detection }: Verdict) =>
  detection.incident ?? `${seriesKey(detection)} ${detection.kind} ${detection.at}`;

/** Which page a page is part of, by the merges that came in time. */
function roots(openedAt: ReadonlyMap<string, number>, merges: readonly Merge[]): (page: string) => string {
  const into = new Map(
    merges
      .filter(({ at, incident }) => at - (openedAt.get(incident) ?? at) <= MERGED_WITHIN)
      .map((merge) => [merge.incident, merge.into]),
  );
  const rootOf = (page: string): string => {
    const next = into.get(page);
    return next === undefined ? page : rootOf(next);
  };
  return rootOf;
}

function isTrivial({ kind, effectRatio, effectMs }: NonNullable<Verdict['event']>): boolean {
  const { ratio, ms } = kind === 'spike' ? TRIVIAL.spike : TRIVIAL.lasting;
  return Math.abs(effectRatio) < ratio || Math.abs(effectMs) < ms;
}

export function addCounts(all: readonly PageCounts[]): PageCounts {
  const keys = Object.keys(all[0] ?? {}) as (keyof PageCounts)[];
  return Object.fromEntries(keys.map((key) => [key, all.reduce((sum, each) => sum + each[key], 0)])) as PageCounts;
}

/** One row of the table of page worlds. */
export function pageRow(name: string, counts: PageCounts): string[] {
  const per = (part: number, whole: number) => (whole === 0 ? '-' : (part / whole).toFixed(2));
  return [
    name,
    String(counts.happenings),
    per(counts.pages, counts.happenings),
    per(counts.mixed, counts.right),
    per(counts.whole, counts.happenings),
    per(counts.cause, counts.causes),
    per(counts.false, counts.days),
    String(counts.falseAlone),
    String(counts.trivial),
  ];
}

export const PAGE_HEAD = ['world', 'happenings', 'pages', 'mixed', 'whole', 'cause', 'false/day', 'alone', 'trivial'];
export const PAGE_AIMS = ['aim', '', '1.1', '.04', '.90', '.95', '.2', '', '0'];
