import { emptySummary, mergeSummary, type Summary, statisticOf } from '#analysis/summary.ts';
import type { AlertRuleCreate, RulePreview, RuleWouldFire } from '#contract/alert-rule.ts';
import { inLane } from '#server/database/lane.ts';
import { REOPEN_WITHIN_MS } from '#server/incidents/open.ts';
import { readRollups } from '#server/rollups/read.ts';
import { isTargetDown, LEAST_RESULTS, PERIODS } from './down.ts';
import { firingsOf } from './replay-detector.ts';
import { isPast } from './threshold.ts';
import { type RuleTarget, targetsOf, vantagesOf } from './verdict.ts';

// What a rule would have done, before it is saved. A threshold and "target down" are replayed over the rollups of the last week with
// the very comparisons that jobs make, in steps of ten minutes, of an hour for windows longer
// than that; windows under ten minutes over the minutes of the last day. A
// detector's rule is held against the detections of the last week (replay-detector.ts). Rules on certificates, staples
// and silent vantages look at what is so today, of which no history is kept.

type Draft<Kind extends AlertRuleCreate['kind']> = Extract<AlertRuleCreate, { kind: Kind }>;

const MINUTE = 60;
const TEN_MINUTES = 600;
const HOUR = 3_600;
/** Some ms of work, after which other requests get their turn. */
const WINDOWS_AT_ONCE = 16;
const DAY = 86_400;
const WEEK = 7 * DAY;
/** Results come in for a while after their minute. */
const GRACE = 120;
/** Targets are replayed one after the other for so long (ms); the answer says how many there was time for. */
const REPLAY_MS = 3_000;
/** Most incidents that are listed, the newest; all are counted. */
const MOST_LISTED = 20;

/** The incidents that a rule would have opened, had it been there a week ago; null for the kinds that cannot be replayed. */
export async function replayRule(draft: AlertRuleCreate, now: Date, replayMs = REPLAY_MS): Promise<RulePreview | null> {
  switch (draft.kind) {
    case 'detector':
      return await replayDetector(draft, Math.floor(now.getTime() / 1_000));
    case 'threshold':
      return await replayTargets(draft, now, replayMs, draft.params.windowMinutes * 60, thresholdJudge(draft));
    case 'down':
      return await replayTargets(draft, now, replayMs, draft.params.windowMinutes * 60, downJudge(draft));
    default:
      return null;
  }
}

/** What a window of a target says: the vantages where it is amiss, and whether they open an incident; null: nothing. */
type Judged = { amiss: number; isAmiss: boolean } | null;
/** `expected`: how many vantages measured the target up to the window and since. */
type Judge = (window: ReadonlyMap<number, Summary>, expected: number) => Judged;

function thresholdJudge({ metric, params, minCells }: Draft<'threshold'>): Judge {
  return (window) => {
    const judged = [...window.values()].flatMap((summary) => {
      const { value, n } = statisticOf(summary, metric, params.stat);
      return value === null || n < params.minResults ? [] : [isPast(params, value)];
    });
    const amiss = judged.filter(Boolean).length;
    return judged.length === 0 ? null : { amiss, isAmiss: amiss >= minCells };
  };
}

function downJudge(draft: Draft<'down'>): Judge {
  return (window, expected) => {
    const measured = [...window.values()].filter(({ total, failedProber }) => total - failedProber >= LEAST_RESULTS);
    const down = measured.filter(({ ok }) => ok === 0).length;
    const isAmiss = isTargetDown(draft, { down, measured: measured.length, expected });
    return isAmiss === null ? null : { amiss: down, isAmiss };
  };
}

async function replayTargets(
  draft: Draft<'threshold' | 'down'>,
  now: Date,
  replayMs: number,
  windowSeconds: number,
  judge: Judge,
): Promise<RulePreview> {
  const step = stepFor(windowSeconds);
  const to = Math.floor((now.getTime() / 1_000 - GRACE) / step) * step;
  const from = to - (step === MINUTE ? DAY : WEEK);
  const metric = draft.kind === 'threshold' ? draft.metric : null;
  const vantages = await vantagesOf(draft);
  const groups = new Map([...vantages.keys()].map((id, index) => [id, index]));
  const targets = await targetsOf(draft);
  const giveUpAt = performance.now() + replayMs;
  const found: RuleWouldFire[] = [];
  let replayed = 0;
  for (const target of targets) {
    if (replayed > 0 && performance.now() > giveUpAt) break;
    const slots = Math.max(1, Math.ceil(Math.max(windowSeconds, leastSeconds(draft, target)) / step));
    const cells = await inLane(() => readRollups({ targetId: target.id, from, to, step, metric, groups }));
    const expectedAt = spansOf(cells);
    const firings = new Firings(target.id);
    let windows = 0;
    for (const { end, window } of windowsOf(cells, { from, to, step, slots })) {
      if (windows++ % WINDOWS_AT_ONCE === 0) await new Promise(setImmediate);
      firings.take(end, judge(window, expectedAt(end - slots * step, end)));
    }
    found.push(...firings.found);
    replayed += 1;
  }
  return previewOf(found, { from, to, step }, { replayed, of: targets.length });
}

/** Short enough for the window, and long enough that no window has more than two dozen steps. */
function stepFor(windowSeconds: number): number {
  if (windowSeconds < TEN_MINUTES) return MINUTE;
  return windowSeconds <= HOUR ? TEN_MINUTES : HOUR;
}

/** Where results come seldom, the window of "target down" is as long as two of them need. */
const leastSeconds = (draft: AlertRuleCreate, { periodSeconds }: RuleTarget) =>
  draft.kind === 'down' ? periodSeconds * PERIODS : 0;

type Slots = { from: number; to: number; step: number; slots: number };
type Cell = { slot: number; group: number; summary: Summary };

/** How many vantages had results before `end` and at `start` or later: what was silent in between counts. */
function spansOf(cells: readonly Cell[]): (start: number, end: number) => number {
  const spans = [...Map.groupBy(cells, ({ group }) => group).values()].map((own) => {
    const slots = own.map(({ slot }) => slot);
    return { first: Math.min(...slots), last: Math.max(...slots) };
  });
  return (start, end) => spans.filter(({ first, last }) => first < end && last >= start).length;
}

/** The windows that end with each slot, in order: what each vantage measured in the last `slots` of them. */
export function* windowsOf(
  cells: readonly Cell[],
  { from, to, step, slots }: Slots,
): Generator<{ end: number; window: Map<number, Summary> }> {
  const bySlot = Map.groupBy(cells, ({ slot }) => slot);
  for (let end = from + step; end <= to; end += step) {
    const window = new Map<number, Summary>();
    for (let slot = end - slots * step; slot < end; slot += step) {
      for (const { group, summary } of bySlot.get(slot) ?? []) {
        if (slots === 1) window.set(group, summary);
        else {
          const sum = window.get(group) ?? emptySummary();
          mergeSummary(sum, summary);
          window.set(group, sum);
        }
      }
    }
    yield { end, window };
  }
}

/** Opened where enough is amiss, over when it no longer is; one that comes back soon is the same, as with incidents. */
export class Firings {
  readonly found: RuleWouldFire[] = [];
  readonly #targetId: string;
  #open: RuleWouldFire | null = null;

  constructor(targetId: string) {
    this.#targetId = targetId;
  }

  /** What was judged at `end` (seconds since 1970), in order; null where nothing was measured. */
  take(end: number, judged: Judged): void {
    if (judged === null) return;
    const at = new Date(end * 1_000).toISOString();
    if (judged.isAmiss) {
      this.#open ??= this.#reopened(end) ?? this.#opened(at);
      this.#open.series = Math.max(this.#open.series, judged.amiss);
    } else if (this.#open) {
      this.#open.endedAt = at;
      this.#open = null;
    }
  }

  #reopened(end: number): RuleWouldFire | null {
    const last = this.found.at(-1);
    if (!last?.endedAt || end * 1_000 - Date.parse(last.endedAt) > REOPEN_WITHIN_MS) return null;
    return Object.assign(last, { endedAt: null });
  }

  #opened(openedAt: string): RuleWouldFire {
    const made = { targetId: this.#targetId, openedAt, endedAt: null, series: 0 };
    this.found.push(made);
    return made;
  }
}

async function replayDetector(draft: Draft<'detector'>, to: number): Promise<RulePreview> {
  const targets = (await targetsOf(draft)).length;
  const found = await firingsOf(draft, to - WEEK, to);
  return previewOf(found, { from: to - WEEK, to, step: null }, { replayed: targets, of: targets });
}

function previewOf(
  found: RuleWouldFire[],
  { from, to, step }: { from: number; to: number; step: number | null },
  targets: RulePreview['targets'],
): RulePreview {
  const newest = found.toSorted((a, b) => (a.openedAt < b.openedAt ? 1 : -1));
  return {
    from: new Date(from * 1_000).toISOString(),
    to: new Date(to * 1_000).toISOString(),
    stepSeconds: step,
    count: found.length,
    incidents: newest.slice(0, MOST_LISTED),
    targets,
  };
}
