/** A matter is warned of at once, and then at most this often (ms), with the number of losses since. */
const WARN_EVERY_MS = 10 * 60_000;

/** Sentences about so many results that are lost. */
const LOSSES = {
  dropped: (count: number) => `the spool is full: ${count} of the oldest results are dropped`,
  droppedFromMemory: (count: number) => `the disk takes no results and memory is full: ${count} of them are dropped`,
  torn: (count: number) => `${count} results of the spool are torn or damaged, they are left out`,
};
type Loss = keyof typeof LOSSES;

/** Counts the results that a spool loses, and warns of them and of a disk that takes none. */
export class Losses {
  /** Results lost to the bounds of disk and memory; those of them lost to that of memory; torn or damaged on disk. */
  readonly counts = { dropped: 0, droppedFromMemory: 0, torn: 0 };
  readonly #warnings = new Map<string, { at: number; unreported: number }>();
  readonly #tell: (message: string) => void;

  constructor(tell: (message: string) => void) {
    this.#tell = tell;
  }

  lose(loss: Loss, count: number): void {
    this.counts[loss] += count;
    if (loss === 'droppedFromMemory') this.counts.dropped += count;
    if (count > 0) this.warn(loss, LOSSES[loss], count);
  }

  /** Warns at once, and of the same matter not again for a while; then with how many there were meanwhile. Whether it did. */
  warn(matter: string, sentence: (count: number) => string, count = 1): boolean {
    const last = this.#warnings.get(matter) ?? { at: Number.NEGATIVE_INFINITY, unreported: 0 };
    this.#warnings.set(matter, last);
    last.unreported += count;
    if (performance.now() - last.at < WARN_EVERY_MS) return false;
    this.#tell(sentence(last.unreported));
    Object.assign(last, { at: performance.now(), unreported: 0 });
    return true;
  }
}
