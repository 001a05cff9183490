import type { Logger } from './logger.ts';

/** How often (ms) a server that refuses the credential is asked again. */
export const ASK_AGAIN_MS = 300_000;
/** A prober that was refused for so long (ms), and not once taken, ends. */
export const GIVE_UP_AFTER_MS = 86_400_000;
/** Refusals further apart than this many times `askAgainMs` are not consecutive: counting restarts. */
const UNBROKEN_TIMES = 2;

type Options = {
  logger: Logger;
  askAgainMs?: number | undefined;
  giveUpAfterMs?: number | undefined;
  /** Monotonic, ms. */
  now?: () => number;
};

/**
 * Whether the server takes this prober's credential. One that refuses it may have been restored from a backup, so the
 * prober measures and spools on, asks now and then, and gives up only after a day of nothing but refusals. Answers
 * that are not the server's own word are never told to this: they neither count nor make up for anything.
 */
export class Standing {
  readonly askAgainMs: number;
  #options: Required<Pick<Options, 'logger' | 'now' | 'giveUpAfterMs'>>;
  #since: number | null = null;
  #last = 0;

  constructor({ logger, askAgainMs = ASK_AGAIN_MS, giveUpAfterMs = GIVE_UP_AFTER_MS, now }: Options) {
    this.askAgainMs = askAgainMs;
    this.#options = { logger, giveUpAfterMs, now: now ?? (() => performance.now()) };
  }

  get isRefused(): boolean {
    return this.#since !== null;
  }

  /** The server refused the credential; true says that it has done so for long enough to end. */
  refused(message: string): boolean {
    const { logger, giveUpAfterMs, now } = this.#options;
    const at = now();
    if (this.#since === null) {
      const ends = giveUpAfterMs > 0 ? `, ends after ${giveUpAfterMs / 3_600_000} hours of this` : '';
      logger.warn(
        `the server does not know this prober's credential (${message}). Its vantage may have been deleted: then stop it, or enrol it again with a fresh token. It measures on, keeps its results and asks again every ${this.askAgainMs / 1_000} s${ends}.`,
      );
    }
    if (this.#since === null || at - this.#last > UNBROKEN_TIMES * this.askAgainMs) this.#since = at;
    this.#last = at;
    return at - this.#since >= giveUpAfterMs;
  }

  /** The server took the credential. */
  accepted(): void {
    if (this.#since !== null) this.#options.logger.info("the server knows this prober's credential again");
    this.#since = null;
  }
}
