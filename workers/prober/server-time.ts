import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeJson } from './files.ts';
import type { Logger } from './logger.ts';
import type { ProberClock } from './prober-clock.ts';

/** A clock this close to the server's (ms) is left alone, and so is one that the round trip cannot tell apart from it. */
export const CLOCK_TOLERANCE_MS = 1_000;
/** Answers that an offset is chosen from: the one with the shortest round trip is the most exact. */
const ANSWERS_KEPT = 8;
/** Two answers that differ by more than their round trips and this (ms) mean that one of the clocks was set. */
const DRIFT_MS = 50;
/** Clocks of processes that ended before they heard the server are kept so many; results of older ones take today's offset. */
const EPOCHS_KEPT = 100;

/** A clock that results in the spool may name. `pastBootMs` is its time minus the time since the machine's boot. */
const Epoch = z.object({
  id: z.string(),
  bootId: z.string().nullable(),
  pastBootMs: z.number(),
  aheadMs: z.number().nullable(),
});
type Epoch = z.infer<typeof Epoch>;
const Stored = z.object({ epochs: z.array(Epoch) });

/** An answer that tells the server's time: when it was asked and answered, in ms of the prober's clock. */
export type TimedAnswer = { sentAt: number; answeredAt: number; serverTime: string };
type Offset = { aheadMs: number; roundTripMs: number };
export type Boot = { id: string | null; uptimeMs(): number };

type Options = {
  dataDir: string;
  clock: ProberClock;
  logger: Logger;
  boot?: Boot;
  /** The clock was found to be so far (ms) ahead of the server's. */
  onChange?(aheadMs: number): void;
};

/**
 * What is known of the server's time. Results that were spooled before it was known name their process's clock; here it
 * is kept on disk how far that clock was off, decided once, so that a Result sent twice bears the same time twice.
 */
export class ServerTime {
  /** Resolves when the server's time is known, and the disk knows it. */
  readonly learnt: Promise<void>;
  readonly #resolve: () => void;
  readonly #options: Required<Options>;
  readonly #path: string;
  #epochs: Epoch[];
  #offsets: Offset[] = [];

  constructor(options: Options) {
    this.#options = { boot: thisBoot(), onChange: () => {}, ...options };
    this.#path = join(options.dataDir, 'clock.json');
    const { promise, resolve } = Promise.withResolvers<void>();
    this.learnt = promise;
    this.#resolve = resolve;
    const { clock, boot } = this.#options;
    const own = { id: clock.epoch, bootId: boot.id, pastBootMs: this.#pastBoot(), aheadMs: null };
    this.#epochs = [...(readJson(this.#path, Stored)?.epochs ?? []), own].slice(-EPOCHS_KEPT);
    this.#save();
    if (this.isLearnt) resolve();
  }

  get isLearnt(): boolean {
    return this.#options.clock.aheadMs !== null;
  }

  /** Takes the server's time in, as it stood in the middle of the round trip. */
  learn({ sentAt, answeredAt, serverTime }: TimedAnswer): void {
    const offset = {
      aheadMs: (sentAt + answeredAt) / 2 - Date.parse(serverTime),
      roundTripMs: Math.max(0, answeredAt - sentAt),
    };
    if (Number.isNaN(offset.aheadMs)) return;
    const agrees = this.#offsets.every(
      (known) => Math.abs(known.aheadMs - offset.aheadMs) <= (known.roundTripMs + offset.roundTripMs) / 2 + DRIFT_MS,
    );
    this.#offsets = [...(agrees ? this.#offsets : []), offset].slice(-ANSWERS_KEPT);
    const best = this.#offsets.reduce((left, right) => (right.roundTripMs < left.roundTripMs ? right : left));
    this.#set(correctionOf(best));
  }

  /** How far (ms) the clock of this name was ahead of the server's. Ask once the server's time is learnt. */
  aheadOf(epoch: string): number {
    const known = this.#epochs.find(({ id }) => id === epoch)?.aheadMs;
    if (known !== undefined && known !== null) return known;
    // Forgotten, or never on disk: from now on it is what it is today, for a result that goes out twice.
    const aheadMs = this.#options.clock.aheadMs ?? 0;
    this.#epochs = [...this.#epochs, { id: epoch, bootId: null, pastBootMs: 0, aheadMs }].slice(-EPOCHS_KEPT);
    this.#save();
    return aheadMs;
  }

  #set(aheadMs: number): void {
    const { clock, logger, onChange } = this.#options;
    const before = clock.aheadMs;
    if (before === null) this.#settleEpochs(aheadMs);
    clock.aheadMs = aheadMs;
    if (aheadMs !== before) onChange(aheadMs);
    this.#resolve();
    if ((before ?? 0) === 0 && aheadMs !== 0) {
      const ahead = `${Math.abs(aheadMs) / 1_000} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the server's`;
      logger.warn(`this machine's clock is ${ahead}: results are stamped with the server's time. Set the clock (NTP).`);
    } else if (before && aheadMs === 0) logger.info("the prober's clock agrees with the server's again");
  }

  /**
   * Processes of this boot: their clocks and ours stand in a known relation, whatever the wall clock was set to. Of
   * an earlier boot nothing is known but that the machine's clock went on meanwhile, wrong by what it is wrong now.
   */
  #settleEpochs(aheadMs: number): void {
    const { clock, boot } = this.#options;
    const pastBoot = this.#pastBoot();
    for (const epoch of this.#epochs) {
      if (epoch.aheadMs !== null) continue;
      const sameBoot = boot.id !== null && epoch.bootId === boot.id && epoch.id !== clock.epoch;
      const ahead = aheadMs + (sameBoot ? epoch.pastBootMs - pastBoot : 0);
      epoch.aheadMs = Math.abs(ahead) <= CLOCK_TOLERANCE_MS ? 0 : Math.round(ahead);
    }
    this.#save();
  }

  #pastBoot(): number {
    return this.#options.clock.now() - this.#options.boot.uptimeMs();
  }

  #save(): void {
    try {
      writeJson(this.#path, { epochs: this.#epochs });
    } catch (error) {
      this.#options.logger.warn(`what is known of the clock cannot be kept on disk: ${String(error)}`);
    }
  }
}

function correctionOf({ aheadMs, roundTripMs }: Offset): number {
  return Math.abs(aheadMs) <= Math.max(CLOCK_TOLERANCE_MS, roundTripMs / 2) ? 0 : Math.round(aheadMs);
}

/** Linux names each boot; elsewhere nothing links the clocks of two processes but the wall clock. */
function thisBoot(): Boot {
  let id: string | null = null;
  try {
    id = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() || null;
  } catch {
    // not Linux
  }
  return { id, uptimeMs: () => uptime() * 1_000 };
}
