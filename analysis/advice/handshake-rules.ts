import type { Result } from '#contract/result.ts';
import { mayFalseStart } from '../what-if/facts.ts';
import { fittingChain } from '../what-if/what-if.ts';
import { perResult, type Rule } from './rule.ts';
import { nagleWaits, quantileOf, rttOf, USUAL_MSS, USUAL_SEGMENTS, type Window, windowWaits } from './window.ts';
import { baseOf, givenBackAt } from './worth.ts';

/** Segments before the first pause that make a window a small one: servers from before 2011 send 2 to 4. */
const SMALL_SEGMENTS = 4;
/** A vantage that loses more than this share of its connections, or whose round-trip time rises so much, has a full path. */
const MOST_LOSS_SHARE = 0.05;
const RISING = 1.5;
const RISING_SLACK_MS = 5;
/** RSA keys from this size on cost the server milliseconds a handshake. */
const LARGE_RSA_BITS = 3_072;
const POST_QUANTUM = /MLKEM/;

/** Only TLS 1.2 although 1.3 was offered. */
export const tls12: Rule = {
  code: 'tls12',
  severity: 'warning',
  occasion: 'first',
  certain: true,
  find: perResult((result) => {
    const version = result.tls?.version;
    const offered = result.tls?.hellos?.offeredVersions;
    if (!version || !offered?.includes('TLSv1.3')) return 'unknown';
    if (version === 'TLSv1.3') return 'clear';
    const early = mayFalseStart(result);
    return { changes: [{ kind: 'tls13' }], values: { version, falseStart: early ? 'yes' : 'no' } };
  }),
};

/** TLS 1.2 in a form under which browsers wait for the second round trip before they send their request. */
export const noFalseStart: Rule = {
  code: 'no_false_start',
  severity: 'warning',
  occasion: 'first',
  certain: true,
  find: perResult((result) => {
    const { tls } = result;
    if (!tls?.version || !tls.cipher) return 'unknown';
    // Where the check pins TLS 1.2, browsers may speak 1.3.
    if (tls.version === 'TLSv1.2' && !tls.hellos?.offeredVersions.includes('TLSv1.3')) return 'unknown';
    // Without ALPN in our own offer its absence shows nothing.
    if (tls.alpn === null && tls.hellos?.offeredAlpn.length === 0) return 'unknown';
    if (tls.version !== 'TLSv1.2' || mayFalseStart(result)) return 'clear';
    const exchange = tls.keyExchange ?? (/ECDHE/.test(tls.cipher) ? 'ECDHE' : /DHE/.test(tls.cipher) ? 'DHE' : 'RSA');
    const reason = exchange !== 'ECDHE' ? exchange : tls.alpn === null ? 'alpn' : 'cbc';
    return { changes: [{ kind: 'falseStart' }], values: { cipher: tls.cipher, reason } };
  }),
};

/** The certificates do not fit the window: the server stops in its flight until the client acknowledges. */
export const flightOverWindow: Rule = {
  code: 'flight_over_window',
  severity: 'warning',
  occasion: 'first',
  certain: false,
  find: perResult((result) => {
    const { tls } = result;
    if (!tls || !result.roundTrips) return 'unknown';
    const waits = windowWaits(result, 'tls');
    const [first] = waits;
    if (!first) return result.roundTrips.tls.took === null ? 'unknown' : 'clear';
    const base = baseOf([[result]]);
    const fitting = base?.facts.exchange.noDelay ? fittingChain(base.facts) : null;
    if (!base || !fitting) return 'unknown';
    const mss = result.network.mss ?? USUAL_MSS;
    const window = result.roundTrips.serverWindow;
    const segments = first.segments ?? Math.round(first.afterBytes / mss);
    const flightBytes = tls.flightBytes ?? tls.handshake.bytesIn;
    // A small window is what is to be changed, unless the flight is too large for a usual one as well.
    if (segments <= SMALL_SEGMENTS && flightBytes <= USUAL_SEGMENTS * mss) return 'unknown';
    const chainBytes = tls.certificate?.sent?.messageBytes ?? tls.certificate?.chainBytes ?? null;
    const overBytes = Math.max(0, flightBytes - first.afterBytes);
    const sent = tls.certificate?.sent;
    const keys = sent?.certificates ?? (tls.certificate ? [tls.certificate] : []);
    return {
      changes: [{ kind: 'chain', bytes: fitting }],
      sure: window?.exact !== false || waits.length > 1,
      values: {
        flightBytes,
        windowBytes: first.afterBytes,
        overBytes,
        segments,
        waitMs: tenths(first.waitMs),
        ...(chainBytes === null ? {} : { chainBytes }),
        uselessBytes: sent ? uselessBytes(sent.certificates) : 0,
        stapleBytes: tls.staple.bytes,
        fittingBytes: fitting,
        givenBackAt: givenBackAt(base, fitting),
        ecdsa: keys.some(({ keyType }) => keyType === 'rsa')
          ? tls.certificate?.keyType === 'rsa'
            ? 'leaf'
            : 'issuer'
          : 'no',
        staple: tls.staple.bytes > 0 && !tls.certificate?.mustStaple ? 'yes' : 'no',
      },
    };
  }),
};

/** Bytes of certificates that no client needs: the root, and those that are of another chain. */
export function uselessBytes(certificates: readonly { subject: string; issuer: string; bytes: number }[]): number {
  const needed: (typeof certificates)[number][] = [];
  let next = certificates[0];
  while (next && !needed.includes(next)) {
    if (needed.length > 0 && next.subject === next.issuer) break;
    needed.push(next);
    const { issuer } = next;
    next = certificates.find(({ subject }) => subject === issuer);
  }
  return certificates.filter((each) => !needed.includes(each)).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** A segment smaller than a full one is held back until the client acknowledges what came before it. */
export const nagle: Rule = {
  code: 'nagle',
  severity: 'warning',
  occasion: 'first',
  certain: false,
  find: perResult((result) => {
    if (!result.roundTrips) return 'unknown';
    const said = nagleWaits(result);
    const first = said[0] ?? (baseOf([[result]])?.facts.exchange.noDelay ? undefined : result.roundTrips.waits[0]);
    if (!first) return 'clear';
    const values = { afterBytes: first.afterBytes, waitMs: tenths(first.waitMs), phase: first.phase };
    return { changes: [{ kind: 'noDelay' }], values };
  }),
};

/** A window as it was before RFC 6928: 4 segments or fewer. Not where the path itself is full. */
export const smallWindow: Rule = {
  code: 'small_window',
  severity: 'warning',
  occasion: 'first',
  certain: false,
  find: (windows, settings) =>
    perResult(
      (result) => {
        const window = result.roundTrips?.serverWindow ?? null;
        if (!result.roundTrips || (window && window.segments > SMALL_SEGMENTS)) return window ? 'clear' : 'unknown';
        if (pauses(result).length === 0) return 'unknown';
        // What the engine says is at least so many segments, the pauses say to the segment.
        const base = baseOf([[result]]);
        const segments = window?.exact ? window.segments : (base?.facts.exchange.window ?? USUAL_SEGMENTS);
        if (segments > SMALL_SEGMENTS) return base ? 'clear' : 'unknown';
        const windowBytes = window?.exact ? window.bytes : segments * (result.network.mss ?? USUAL_MSS);
        return { changes: [{ kind: 'window', segments: USUAL_SEGMENTS }], values: { segments, windowBytes } };
      },
      { refutes: passedWhere },
    )(
      windows.filter((window) => !isPathFull(window)),
      settings,
    ),
};

const pauses = (result: Result) =>
  (['tls', 'firstByte', 'download'] as const).flatMap((phase) => windowWaits(result, phase));

/** Whether more came without a pause than came before the first one of another Result. */
function passedWhere({ tls, http, roundTrips }: Result, other: Result): boolean {
  const [first] = pauses(other);
  if (!first || !roundTrips || roundTrips.waits.length > 0) return false;
  const { tls: inFlight, firstByte } = roundTrips;
  if (first.phase === 'tls') return inFlight.took !== null && (tls?.flightBytes ?? 0) > first.afterBytes;
  return firstByte.took !== null && (http?.bytes ?? 0) > first.afterBytes;
}

/** Whether the path loses packets or queues them: a larger window would not help there. */
export function isPathFull({ full, lossShare }: Window): boolean {
  if (lossShare > MOST_LOSS_SHARE) return true;
  const times = full.flatMap((result) => rttOf(result) ?? []);
  const [low, high] = [quantileOf(times, 0.1), quantileOf(times, 0.9)];
  return low !== null && high !== null && high > low * RISING + RISING_SLACK_MS;
}

/** None of the key shares was in a group that the server takes. Not where the check offers few groups. */
export const helloRetry: Rule = {
  code: 'hello_retry',
  severity: 'warning',
  occasion: 'first',
  certain: true,
  find: perResult((result) => {
    const { tls } = result;
    const groups = tls?.hellos?.offeredGroups;
    if (!tls || !groups?.includes('X25519')) return 'unknown';
    if (!tls.helloRetry) return 'clear';
    return { changes: [{ kind: 'noHelloRetry' }], values: { group: tls.group ?? '' } };
  }),
};

/** No post-quantum key exchange although one was offered: security, no latency; it adds 1.1 kB to the server's flight. */
export const noPostQuantum: Rule = {
  code: 'no_post_quantum',
  severity: 'info',
  occasion: 'first',
  notice: true,
  certain: true,
  find: perResult((result) => {
    const { tls } = result;
    if (tls?.version !== 'TLSv1.3' || !tls.group || !tls.hellos) return 'unknown';
    if (!tls.hellos.offeredGroups.some((group) => POST_QUANTUM.test(group))) return 'unknown';
    return POST_QUANTUM.test(tls.group) ? 'clear' : { changes: [], values: { group: tls.group } };
  }),
};

/** An RSA key of 3,072 bits or more; RSA 2048 costs 0.3 ms, of which nothing is said. Not where the check asks for RSA. */
export const largeRsaKey: Rule = {
  code: 'large_rsa_key',
  severity: 'info',
  occasion: 'first',
  certain: true,
  find: (windows, settings) => {
    if (settings.sigalgs === 'RSA') return [];
    // With a second certificate browsers get the small one.
    const hasEcdsa = windows.some(({ all }) =>
      all.some(({ variant, tls }) => variant === 'ecdsa' && tls?.certificate?.keyType.startsWith('ec')),
    );
    if (hasEcdsa) return [];
    return perResult(({ tls }) => {
      const { keyType, keyBits } = tls?.certificate ?? {};
      if (!keyType || !keyBits) return 'unknown';
      if (!keyType.startsWith('rsa') || keyBits < LARGE_RSA_BITS) return 'clear';
      return { changes: [{ kind: 'ecdsa' }], values: { keyBits, workMs: tenths(tls?.handshake.workMs ?? 0) } };
    })(windows, settings);
  },
};

/** Milliseconds as they are said: to a tenth. */
const tenths = (ms: number): number => Math.round(ms * 10) / 10;
