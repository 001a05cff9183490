import type { Expectation } from '#contract/target.ts';
import { ProbeFailure } from '../failure.ts';
import { MAX_BODY_BYTES } from './exchange.ts';

/** Longest piece of a text looked for that a message shows, in characters. */
const SHOWN_CHARACTERS = 100;

/** What the answer must be: judges the status, and looks for texts in the body while it comes in. */
export class Expected {
  readonly #expectation: Expectation;
  readonly #wanted: TextSearch | null;
  readonly #unwanted: TextSearch | null;

  constructor(expectation: Expectation) {
    const { bodyContains, bodyLacks } = expectation;
    this.#expectation = expectation;
    this.#wanted = bodyContains === null ? null : new TextSearch(bodyContains);
    this.#unwanted = bodyLacks === null ? null : new TextSearch(bodyLacks);
  }

  /** Takes the next piece of the body. */
  take(piece: Buffer): void {
    this.#wanted?.take(piece);
    this.#unwanted?.take(piece);
  }

  /** Throws a ProbeFailure for the first thing that is not as expected; the body has been taken. */
  check(status: number | null): void {
    const { status: wanted, bodyContains, bodyLacks } = this.#expectation;
    if (status !== null && !statusMatches(status, wanted)) throw statusFailure(status, wanted);
    if (bodyContains !== null && this.#wanted?.found === false) {
      throw bodyFailure(`does not hold ${shown(bodyContains)}`, this.#wanted.cut);
    }
    if (bodyLacks !== null && this.#unwanted?.found) throw bodyFailure(`holds ${shown(bodyLacks)}`, false);
  }
}

/** Whether a status is one of `wanted`: `200`, `200-204` or `2xx`; an empty list takes all below 400. */
export function statusMatches(status: number, wanted: readonly string[]): boolean {
  if (wanted.length === 0) return status < 400;
  return wanted.some((each) => {
    if (each.endsWith('xx')) return Math.floor(status / 100) === Number(each[0]);
    const [from, to = from] = each.split('-').map(Number);
    return from !== undefined && to !== undefined && status >= from && status <= to;
  });
}

/** Looks for a text, as UTF-8, in the first MiB of a body that comes in pieces. Holds less than the text's length. */
class TextSearch {
  found = false;
  /** Whether the body went on beyond what was searched. */
  cut = false;
  readonly #text: Buffer;
  #left = MAX_BODY_BYTES;
  #tail: Buffer = Buffer.alloc(0);

  constructor(text: string) {
    this.#text = Buffer.from(text);
  }

  take(piece: Buffer): void {
    if (this.found) return;
    // A body that reaches the limit is not read on, so whether it ended there is unknown.
    this.cut = piece.length >= this.#left;
    const taken = piece.subarray(0, this.#left);
    this.#left -= taken.length;
    const across = Buffer.concat([this.#tail, taken.subarray(0, this.#text.length - 1)]);
    this.found = across.includes(this.#text) || taken.includes(this.#text);
    const kept = this.#text.length - 1;
    // Copied, since a slice would keep the whole piece in memory.
    this.#tail = kept === 0 ? this.#tail : Buffer.from((taken.length >= kept ? taken : across).subarray(-kept));
  }
}

function statusFailure(status: number, wanted: readonly string[]): ProbeFailure {
  const asked = wanted.length === 0 ? '' : `, not with ${wanted.join(', ')}`;
  return new ProbeFailure('firstByte', 'http_status', 'target', `the server answered with status ${status}${asked}`);
}

function bodyFailure(what: string, cut: boolean): ProbeFailure {
  const body = cut ? 'the first MiB of the body' : 'the body';
  return new ProbeFailure('download', 'http_body_mismatch', 'target', `${body} ${what}`);
}

function shown(text: string): string {
  const cut = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
  return JSON.stringify(cut);
}
