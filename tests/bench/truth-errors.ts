import type { NotificationState, Seen } from './truth-types.ts';

/** A probe as the tool tells it and as the packets show it. */
export type Pair = { told: NotificationState; seen: Seen };

/** Signed errors in milliseconds, the tool's figure minus the capture's. */
export type Errors = { p50: number; p95: number; p99: number; n: number };

/** A Result whose error exceeds this should say that it is not clean. */
export const WRONG_BY_MS = 1;

/** Joins by local port where the tool tells it, else by the server's address, of which each probe then had its own. */
export function pairUp(told: NotificationState[], seen: Seen[]): Pair[] {
  const byPort = firstOf(seen, ({ localPort }) => localPort);
  const byAddress = firstOf(seen, ({ address }) => address);
  return told.flatMap((each) => {
    const match = each.localPort === null ? byAddress.get(each.address ?? '') : byPort.get(each.localPort);
    return match ? [{ told: each, seen: match }] : [];
  });
}

function firstOf<K>(seen: Seen[], keyOf: (each: Seen) => K): Map<K, Seen> {
  const found = new Map<K, Seen>();
  for (const each of seen.toSorted((a, b) => a.synAt - b.synAt)) {
    if (!found.has(keyOf(each))) found.set(keyOf(each), each);
  }
  return found;
}

/** The figure that a column compares: the tool's and the capture's, or null where either has none. */
export type Figure = (pair: Pair) => [told: number | null, seen: number | null];

export const FIGURES = {
  connect: ({ told, seen }) => [told.connectMs, seen.connectMs],
  wire: ({ told, seen }) => [told.wireMs, seen.tls?.fromHelloMs ?? null],
  // Roundtrip's phase begins with the ClientHello (docs/measuring.md), the others' when they hear of the connect.
  phase: ({ told, seen }) => [told.tlsMs, (told.own ? seen.tls?.fromHelloMs : seen.tls?.fromSynAckMs) ?? null],
  firstByte: ({ told, seen }) => [told.firstByteMs, seen.answer?.firstPacketMs ?? null],
  kernelRtt: ({ told, seen }) => [told.own?.kernelRttMs ?? null, seen.connectMs],
  firstPacket: ({ told, seen }) => [told.own?.firstPacketMs ?? null, seen.answer?.firstPacketMs ?? null],
  firstUsable: ({ told, seen }) => [told.own?.firstUsableMs ?? null, seen.answer?.firstUsableMs ?? null],
} satisfies Record<string, Figure>;

/**
 * The errors at the 50th, 95th and 99th percentile of their size, with their sign: one that reads too little is not
 * hidden behind many that read too much. Null where there is nothing to compare.
 */
export function errorsOf(pairs: Pair[], figure: Figure): Errors | null {
  const errors = pairs.flatMap((pair) => errorOf(pair, figure) ?? []);
  if (errors.length === 0) return null;
  const sorted = errors.toSorted((a, b) => Math.abs(a) - Math.abs(b));
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), n: sorted.length };
}

function errorOf(pair: Pair, figure: Figure): number | null {
  const [told, seen] = figure(pair);
  return told === null || seen === null ? null : told - seen;
}

/**
 * How many Results are not clean, how many are wrong by more than a millisecond, how many of these say so, and which
 * figure of the others is wrong by how much (ms, signed).
 */
export type Honesty = { unclean: number; wrong: number; confessed: number; hidden: string[] };

const PUBLISHED = ['connect', 'wire', 'phase', 'firstByte'] as const;

export function honestyOf(pairs: Pair[]): Honesty {
  const faultOf = (pair: Pair): string | null => {
    for (const name of PUBLISHED) {
      const error = errorOf(pair, FIGURES[name]) ?? 0;
      if (Math.abs(error) > WRONG_BY_MS) return `${name} ${error.toFixed(1)}`;
    }
    return null;
  };
  const isUnclean = ({ told }: Pair) => told.own?.clean === false;
  const wrong = pairs.filter((pair) => faultOf(pair) !== null);
  return {
    unclean: pairs.filter(isUnclean).length,
    wrong: wrong.length,
    confessed: wrong.filter(isUnclean).length,
    hidden: wrong.flatMap((pair) => (isUnclean(pair) ? [] : (faultOf(pair) ?? []))),
  };
}

/** Connections a second from the first SYN to the end of the last one. */
export function rateOf(seen: Seen[]): number {
  const seconds = (Math.max(...seen.map(({ endAt }) => endAt)) - Math.min(...seen.map(({ synAt }) => synAt))) / 1_000;
  return seen.length / seconds;
}
