import { expect, it } from 'vitest';
import type { Detection } from '#analysis/detection/detection.ts';
import { createDetector, type Detector } from '#analysis/detection/detector.ts';
import type { SyntheticSample } from '#analysis/synthetic/draw-samples.ts';
import type { Effect, SeriesEvent } from '#analysis/synthetic/event.ts';
import { samplesOf } from '#analysis/synthetic/series.ts';
import { lastingLevel } from '#analysis/typical-level.ts';
import { PAST_ORIGINS, pastPath } from '#demo/past/paths.ts';
import { drawPast } from '#demo/past/series.ts';
import { eventsOf, type PastKey } from '#demo/past/story.ts';
import { pastBefore } from '#demo/past/window.ts';
import { DEMO_VANTAGES } from '#demo/places.ts';
import { congestionAt, deployBefore, deployedOrigin } from '#demo/present/script.ts';
import { isShown } from '#server/incidents/effect.ts';
import { levelOf } from '#server/incidents/follow.ts';
import { cellOf, type StoredCell } from '#server/incidents/stored-incident.ts';
import { isLong } from '../../support/extent.ts';

// A day of the demo's present in minutes: its paths, its congestion of each hour and its costly key exchange, drawn as its past is, go
// through the detector after that past. What is open is measured again each minute, as the server does. Resumed handshakes are left out.

const MADE_AT = Date.UTC(2026, 10, 21, 9, 30, 42);
const PERIOD = 30;
const HOUR = 3_600;
const DAY = 24 * HOUR;
/** Of the 31 provinces every third one: 99 series. */
const VANTAGES = DEMO_VANTAGES.filter((_, index) => Math.floor(index / 3) % 3 === 0);
const SPIKES_ON = ['tls', 'tcp', 'firstByte', 'failures'] as const;

const together = { hitShare: 1, maxSamples: Number.POSITIVE_INFINITY };

/** What the demo's script does to a series, as events of the generator. */
function eventsOfToday({ origin, carrier }: PastKey, lossPerSegment: number): SeriesEvent[] {
  const events: SeriesEvent[] = [];
  const add = (incident: string, [start, end]: [number, number], shape: 'ramp' | 'box', effect: Effect) =>
    events.push({ kind: 'spike', cause: 'network', incident, start, end, shape, rampSeconds: 60, ...together, effect });
  for (let start = MADE_AT / 1_000 + 120; start < MADE_AT / 1_000 + DAY; start += HOUR)
    if (congestionAt(MADE_AT, (start + 60) * 1_000)?.carrier === carrier)
      add('congestion', [start, start + 420], 'ramp', { rttMs: 55, lossFactor: 1 + 0.02 / lossPerSegment });
  const [first, last] = [MADE_AT + 12 * 60_000, MADE_AT + DAY * 1_000];
  const { atMs = last } = deployBefore('costlyGroup', MADE_AT, last) ?? {};
  if (origin === deployedOrigin('costlyGroup')) add('deploy', [first / 1_000, atMs / 1_000], 'box', { roundTrips: 1 });
  return events;
}

type Line = { index: number; samples: readonly SyntheticSample[] };

/** All samples of each instant, in the order of time. */
function* byTime(lines: readonly Line[]) {
  const instants = new Map<number, { index: number; sample: SyntheticSample }[]>();
  for (const { index, samples } of lines)
    for (const sample of samples) {
      const same = instants.get(sample.at);
      if (same) same.push({ index, sample });
      else instants.set(sample.at, [{ index, sample }]);
    }
  for (const [at, same] of [...instants].sort(([a], [b]) => a - b))
    yield {
      at,
      samples: same.map(({ index, sample }) => ({
        index,
        sample: sample.ok
          ? { timestamp: at, tcp: sample.tcpMs, tls: sample.tlsMs, firstByte: sample.firstByteMs, ok: true }
          : { timestamp: at, tcp: null, tls: null, firstByte: null, ok: false },
      })),
    };
}

type Cell = StoredCell & { onset: number; key: string };
type Incident = { kind: 'spike' | 'regression'; cells: Cell[]; isOpen: boolean };
type Named = Pick<Detection, 'target' | 'vantage' | 'metric' | 'changeAt'>;

const keyOf = ({ target, vantage, metric, changeAt }: Named) => `${target} ${vantage} ${metric} ${changeAt}`;

/** The life of incidents as server/incidents has it, as far as their effect goes. */
class Life {
  readonly #incidents = new Map<string, Incident>();
  readonly #samples: Map<string, readonly SyntheticSample[]>;
  /** Looks at which something that was open was too small to be shown. */
  readonly under: string[] = [];
  opened = 0;

  constructor(samples: Map<string, readonly SyntheticSample[]>) {
    this.#samples = samples;
  }

  record(found: readonly Detection[]): void {
    for (const each of found) {
      if (each.kind === 'improvement' || each.metric === 'failures' || (each.kind === 'regression' && !each.page))
        continue;
      const name = JSON.stringify(each.group);
      const incident = this.#incidents.get(name) ?? { kind: 'spike', cells: [], isOpen: false };
      this.#incidents.set(name, incident);
      if (each.kind === 'regression') incident.kind = 'regression';
      incident.cells = incident.cells.filter(
        ({ targetId, vantageId, metric }) =>
          `${targetId} ${vantageId} ${metric}` !== `${each.target} ${each.vantage} ${each.metric}`,
      );
      incident.cells.push(this.#measured(this.#cellOf(each), each.at + 1));
      this.#open(incident);
    }
  }

  merge(changes: ReturnType<Detector['changes']>): void {
    for (const change of changes) {
      if (change.kind !== 'merge') continue;
      const [from, into] = [JSON.stringify(change.group), JSON.stringify(change.into)];
      const part = this.#incidents.get(from);
      const whole = this.#incidents.get(into);
      this.#incidents.delete(from);
      if (part && whole) {
        whole.cells.push(...part.cells);
        this.opened -= part.isOpen && whole.isOpen ? 1 : 0;
        whole.isOpen ||= part.isOpen;
      } else if (part) this.#incidents.set(into, part);
    }
  }

  /** Measures again, each minute, what goes on; what the detector calls over is so from its own word. */
  look(at: number, detector: Detector, over: ReadonlySet<string>): void {
    const quiet = new Map(detector.open().map((each) => [keyOf(each), each.quietSince]));
    for (const [name, incident] of this.#incidents) {
      incident.cells = incident.cells.map((cell) => {
        if (cell.recoveredAt !== null || cell.kind !== 'spike') return cell;
        if (over.has(cell.key)) return { ...cell, recoveredAt: new Date(at * 1_000).toISOString() };
        return this.#measured(cell, quiet.get(cell.key) ?? at);
      });
      if (incident.cells.every(({ recoveredAt }) => recoveredAt !== null)) this.#incidents.delete(name);
      else if (!incident.isOpen) this.#open(incident);
      else if (!isShown(incident.kind, incident.cells))
        this.under.push(`${name} ${new Date(at * 1_000).toISOString()}`);
    }
  }

  #open(incident: Incident): void {
    if (incident.isOpen || !isShown(incident.kind, incident.cells)) return;
    incident.isOpen = true;
    this.opened += 1;
  }

  #cellOf(each: Detection): Cell {
    const { target, vantage, region, carrier, kind, metric, changeAt: onset, effect } = each;
    const before = this.#values(each, onset - HOUR, onset);
    const lasting = kind === 'spike' ? null : median(this.#values(each, onset, each.at + 1));
    const levels =
      lasting === null
        ? { beforeMs: before.length > 0 ? median(before) : null, afterMs: null }
        : { beforeMs: lasting / Math.exp(effect), afterMs: lasting };
    const times = { at: new Date(each.at * 1_000), changeAt: new Date(onset * 1_000) };
    const cell = cellOf({ targetId: target, vantageId: vantage, region, carrier, kind, metric, ...times, ...levels });
    return { ...cell, onset, key: keyOf(each) };
  }

  #measured(cell: Cell, until: number): Cell {
    if (cell.kind !== 'spike') return cell;
    const asked = {
      target: cell.targetId ?? '',
      vantage: cell.vantageId ?? '',
      metric: cell.metric as Detection['metric'],
    };
    const level = lastingLevel(
      this.#values(asked, cell.onset - HOUR, cell.onset),
      this.#values(asked, cell.onset, until),
    );
    return { ...cell, ...levelOf(cell, level ? { after: level.typical, peak: level.peak } : undefined) };
  }

  #values({ target, vantage, metric }: Omit<Named, 'changeAt'>, from: number, to: number): number[] {
    const all = this.#samples.get(`${target} ${vantage}`) ?? [];
    const values: number[] = [];
    for (let at = firstFrom(all, from); at < all.length && (all[at] as SyntheticSample).at < to; at++) {
      const sample = all[at] as SyntheticSample;
      if (sample.ok)
        values.push(metric === 'tcp' ? sample.tcpMs : metric === 'firstByte' ? sample.firstByteMs : sample.tlsMs);
    }
    return values;
  }
}

/** The index of the first sample at an instant or later, of those in the order of time. */
function firstFrom(samples: readonly SyntheticSample[], from: number): number {
  let [low, high] = [0, samples.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((samples[middle] as SyntheticSample).at < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

it.runIf(isLong)(
  'a day of the demo is an incident for each thing, and none that is open is under its floor',
  { timeout: 900_000 },
  () => {
    const window = pastBefore(MADE_AT);
    const span = { from: window.to, to: window.to + DAY };
    const detector = createDetector({ spikesOn: SPIKES_ON });
    const samples = new Map<string, SyntheticSample[]>();
    const [past, present]: [Line[], Line[]] = [[], []];
    for (const origin of PAST_ORIGINS)
      for (const [number, { region, carrier }] of VANTAGES.entries()) {
        const index = detector.indexOf({ target: origin.key, vantage: `${number}`, country: 'CN', region, carrier });
        const key = { origin: origin.key, region, carrier };
        const path = pastPath(origin, { region, carrier });
        const model = { ...path, target: { ...path.target, periodSeconds: PERIOD } };
        const events = [...eventsOf(window, key), ...eventsOfToday(key, path.loss / origin.segments)];
        const today = samplesOf({ model, span, events, gaps: [] }, 1);
        const before = drawPast(origin, { region, carrier }, window).samples as SyntheticSample[];
        past.push({ index, samples: before });
        present.push({ index, samples: today });
        samples.set(`${origin.key} ${number}`, [...before.slice(-12), ...today]);
      }
    for (const { at, samples: same } of byTime(past)) detector.advance(at, same);
    const life = new Life(samples);
    const over = new Set<string>();
    for (const { at, samples: same } of byTime(present)) {
      life.record(detector.advance(at, same));
      life.merge(detector.changes());
      for (const each of detector.closed()) over.add(keyOf(each));
      if (at % 60 === 0) life.look(at, detector, over);
    }
    process.stdout.write(`a day of the demo: ${life.opened} incidents\n`);
    expect(life.under).toEqual([]);
    expect(life.opened).toBeGreaterThanOrEqual(24);
    expect(life.opened).toBeLessThanOrEqual(30);
  },
);
