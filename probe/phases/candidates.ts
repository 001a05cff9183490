import os from 'node:os';
import { interleaved } from '#contract/public-address.ts';
import { type ResolvedAddress, SYSTEM_LOOKUP } from '../network/network.ts';
import { hostOf } from '../request.ts';
import type { Resolved, Run } from './stages.ts';

/** How long the other family is waited for where there is another address to try, ms (RFC 8305, section 3). */
const RESOLUTION_DELAY_MS = 50;

/**
 * The addresses still to be tried, in order. A look-up asks for IPv4 first, and a name that has it is not asked for IPv6:
 * that happens when an address has failed, or is suspected to (`expand`), so that healthy probes send one query.
 */
export class Candidates {
  #rest: readonly ResolvedAddress[];
  #expanded: Promise<void> | null = null;
  readonly #expandable: boolean;
  readonly #name: string;
  readonly #run: Run;
  readonly #abort = new AbortController();

  constructor({ addresses, lookup, resolver }: Resolved, run: Run) {
    this.#rest = addresses;
    this.#run = run;
    this.#name = lookup?.name ?? hostOf(run.url);
    const { family } = run.request.settings;
    // The hosts file and the machine's library gave all families at once.
    const wasAsked = lookup !== null && resolver !== null && resolver !== SYSTEM_LOOKUP;
    this.#expandable = wasAsked && family === null && addresses.every((each) => each.family === 4);
  }

  /** Whether another address may still come, known or not. */
  get mayHaveMore(): boolean {
    return this.#rest.length > 0 || (this.#expandable && this.#expanded === null);
  }

  /** The next one; null where none is known. */
  take(): ResolvedAddress | null {
    const [next = null, ...rest] = this.#rest;
    this.#rest = rest;
    return next;
  }

  /** The next one after a failure: of the other family, where that is known in time. */
  async takeAfterFailure(): Promise<ResolvedAddress | null> {
    await this.expand();
    return this.take();
  }

  /** Asks for the other family, once; resolves when it is known, or soon where there is another address. Never rejects. */
  async expand(): Promise<void> {
    if (!this.#expandable) return;
    this.#expanded ??= this.#askForOther();
    if (this.#rest.length === 0) return this.#expanded;
    let timer: NodeJS.Timeout | undefined;
    const soon = new Promise<void>((settle) => {
      timer = setTimeout(settle, RESOLUTION_DELAY_MS);
    });
    await Promise.race([this.#expanded, soon]);
    clearTimeout(timer);
  }

  /** Gives up a query that is still open. */
  close(): void {
    this.#abort.abort();
  }

  async #askForOther(): Promise<void> {
    const { request, environment, overall } = this.#run;
    const { timeouts, resolver } = request.settings;
    const leftMs = Math.max(0, Math.min(timeouts.dns, overall.endsAt - environment.clock.now()));
    const timer = setTimeout(() => this.#abort.abort(), leftMs);
    try {
      const found = await environment.network.resolve(this.#name, 6, this.#abort.signal, undefined, resolver);
      // An IPv4 address was tried last: the families take turns from here on.
      this.#rest = interleaved([...found.addresses.filter(isInReach), ...this.#rest]);
    } catch {
      // The name has no address of this family, or it is not known in time.
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A machine without a global IPv6 address, but perhaps with a default route, has no way to another's (RFC 6724). */
function isInReach({ address }: ResolvedAddress): boolean {
  if (!GLOBAL_IPV6.test(address)) return true;
  return Object.values(os.networkInterfaces()).some((each) => each?.some((own) => GLOBAL_IPV6.test(own.address)));
}

/** 2000::/3. */
const GLOBAL_IPV6 = /^[23][0-9a-f]{3}:/i;
