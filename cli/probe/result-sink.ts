import type { Result } from '#contract/result.ts';
import { harmlessJson } from './paint.ts';
import type { Plan } from './plan.ts';
import { type Predictions, predictionOf } from './prediction.ts';
import type { ResultSink } from './run.ts';
import { type Sample, sampleOf } from './summary.ts';

/** Sequences printed in full; where there are more, the summary speaks for them, but a failure is always shown. */
export const MOST_PRINTED = 20;
/** Results are handed to the thread that prints this often (ms), many at once. */
const HAND_OVER_MS = 50;
/** So many Results may wait for the printing thread; then no probe is started until it has caught up. */
const MOST_UNPRINTED = 1_000;

/** What the printing thread gets of some Results: a line of JSON for each, or those to be shown, in order. */
export type Batch = { count: number; samples: Sample[]; lines: string[]; shown: Result[][] };

/**
 * Gathers a measuring thread's Results. They are made into JSON one by one as they come, which costs less than any
 * handshake; `send` hands them to the writer, which is another thread where there are several.
 */
export class ThreadResultSink implements ResultSink {
  onOpen = () => {};
  readonly #json: boolean;
  readonly #plan: Pick<Plan, 'whatIf' | 'failIf'>;
  readonly #send: (batch: Batch) => void;
  #batch = emptyBatch();
  #unprinted = 0;
  #shown = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(json: boolean, plan: Pick<Plan, 'whatIf' | 'failIf'>, send: (batch: Batch) => void) {
    this.#json = json;
    this.#plan = plan;
    this.#send = send;
  }

  get open(): boolean {
    return this.#unprinted < MOST_UNPRINTED;
  }

  take(results: Result[]): void {
    this.#unprinted += results.length;
    this.#batch.count += results.length;
    for (const result of results) {
      this.#batch.samples.push(sampleOf(result, this.#plan.failIf));
      if (this.#json) this.#batch.lines.push(harmlessJson(this.#printed(result, results)));
    }
    if (!this.#json && this.#isShown(results)) this.#batch.shown.push(results);
    this.#timer ??= setTimeout(() => this.flush(), HAND_OVER_MS);
  }

  /** A main Result carries what is predicted of its sequence, where that is asked for. */
  #printed(result: Result, sequence: Result[]): Result & { whatIf?: Predictions | null } {
    const { whatIf } = this.#plan;
    if (!whatIf || result !== sequence[0]) return result;
    return { ...result, whatIf: predictionOf(sequence, whatIf) };
  }

  /** Hands over what has been gathered. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#batch.count === 0) return;
    this.#send(this.#batch);
    this.#batch = emptyBatch();
  }

  /** So many of them have been printed. */
  printed(count: number): void {
    const wasOpen = this.open;
    this.#unprinted -= count;
    if (!wasOpen && this.open) this.onOpen();
  }

  #isShown(results: Result[]): boolean {
    this.#shown += 1;
    return this.#shown <= MOST_PRINTED || results.some(({ ok }) => !ok);
  }
}

function emptyBatch(): Batch {
  return { count: 0, samples: [], lines: [], shown: [] };
}
