import type { Result } from '#contract/result.ts';
import { both, NONE, nothing, perResult, type Rule, trips } from './rule.ts';
import {
  causeOf,
  isMain,
  LEAST_WAIT_SHARE,
  mayFalseStart,
  median,
  rttOf,
  tlsTripsOf,
  USUAL_MSS,
  USUAL_SEGMENTS,
  windowWaits,
} from './window.ts';

/** A body of this size on is a download of a file, of which the first record does not matter. */
const FILE_BYTES = 1_048_576;
/** A server whose own work of a handshake takes longer (ms) has no processor to spare for more records. */
const BUSY_WORK_MS = 25;
/** Records of fewer bytes of body on average are tiny ones; so many of them cost processor time by themselves. */
const TINY_BYTES = 400;
const MANY_RECORDS = 16;
/** The window counts segments: tiny ones fill it before so many full ones would. */
const EARLY_SEGMENTS = 8;
/** Two pauses that no window explains are a program that sends when it has something. */
const STREAM_WAITS = 2;
/** What brotli leaves of pages, scripts and JSON. */
const TEXT_RATIO = 0.25;
/** What is never compressed again. */
const PACKED_FILE = /\.(?:7z|avif|br|gif|gz|jpe?g|m4a|mp[34]|pdf|png|webm|webp|woff2?|xz|zip|zst)$/i;
/** Where a redirect goes that the reader cannot be spared. */
const SIGN_IN = /(?:log[-_]?(?:in|on)|sign[-_]?in|auth|sso|oauth|passport|session|account)/i;
const LANGUAGE_HOST = /^[a-z]{2}(?:-[a-z]{2,4})?\.[^.]+\./i;
const LANGUAGE = /^\/(?:intl\/)?[a-z]{2}(?:[-_][a-z0-9]{2,4}){0,2}(?:[/.]|$)|[?&](?:lang|locale|hl)=/i;

/** The answer's first record with a byte of body is larger than what the window lets through at once. */
export const recordOverWindow: Rule = {
  code: 'record_over_window',
  severity: 'warning',
  occasion: 'first',
  certain: false,
  find: perResult((result) => {
    const { http, phases, network, prober } = result;
    const rtt = rttOf(result);
    if (!http || rtt === null || isFile(http) || isServerBusy(result)) return 'unknown';
    const isBody = typeof http.firstBodyRecordBytes === 'number' && typeof phases.firstBody === 'number';
    const bytes = isBody ? http.firstBodyRecordBytes : http.firstRecordBytes;
    const complete = isBody ? phases.firstBody : http.firstUsableMs;
    const packet = isBody ? http.firstBodyPacketMs : http.firstPacketMs;
    if (typeof bytes !== 'number' || typeof complete !== 'number' || typeof packet !== 'number') return 'unknown';
    const mss = network.mss ?? USUAL_MSS;
    const windowBytes = result.roundTrips?.serverWindow?.bytes ?? USUAL_SEGMENTS * mss;
    const gapMs = complete - packet;
    if (bytes < 2 * mss || gapMs < LEAST_WAIT_SHARE * rtt) return 'clear';
    // A body that the window holds was kept back by something else; so was one during a delay of the prober.
    if (http.bytes <= Math.min(windowBytes, USUAL_SEGMENTS * mss) * 0.9) return 'unknown';
    if ((prober.lateMs ?? 0) >= gapMs / 2) return 'unknown';
    const waits = (result.roundTrips?.waits ?? []).filter(({ phase }) => phase !== 'tls');
    if (waits.some((wait) => causeOf(wait, rtt, result) === 'nagle')) return 'unknown';
    // Over HTTP/2 the header usually has a record of its own: the first byte comes no sooner, the body does.
    const isFirst = !isBody || http.firstRecordBytes === bytes;
    return {
      gains: both(trips(1, isFirst ? 'UB' : 'B')),
      values: { recordBytes: bytes, segments: Math.ceil(bytes / mss), gapMs: tenths(gapMs), httpVersion: http.version },
    };
  }),
};

/** Smaller records cost 39% of the requests a second: not on a server that has nothing to spare. */
export function isServerBusy({ tls }: Result): boolean {
  return (tls?.handshake.workMs ?? 0) > BUSY_WORK_MS;
}

/** A large download, in which the first byte matters little. */
export const isFile = ({ bytes, bodyCut }: NonNullable<Result['http']>): boolean =>
  bytes >= FILE_BYTES || bodyCut?.by === 'limit' || (bodyCut?.expectedBytes ?? 0) >= FILE_BYTES;

/** Many small records: each a segment of its own, so that few bytes fill the window, and bytes and work for each. */
export const tinyRecords: Rule = {
  code: 'tiny_records',
  severity: 'warning',
  occasion: 'first',
  certain: false,
  find: perResult((result) => {
    const { http, network, tls } = result;
    const rtt = rttOf(result);
    if (!http?.records || rtt === null) return 'unknown';
    const mean = http.bytes / http.records;
    if (http.records < 2 || mean >= TINY_BYTES) return 'clear';
    const waits = (result.roundTrips?.waits ?? []).filter(({ phase }) => phase !== 'tls');
    const unexplained = waits.filter((wait) => causeOf(wait, rtt, result) === 'unknown');
    if (unexplained.length >= STREAM_WAITS) return 'unknown';
    const early = EARLY_SEGMENTS * (network.mss ?? USUAL_MSS);
    const held = waits.filter((wait) => wait.heldBy === 'window' && wait.afterBytes < early).length;
    if (held === 0 && http.records < MANY_RECORDS) return 'clear';
    const overhead = (http.records - 1) * (tls?.version === 'TLSv1.3' ? 22 : 29);
    return {
      gains: both(trips(held, 'BT')),
      values: { records: http.records, bytes: http.bytes, meanBytes: Math.round(mean), overheadBytes: overhead },
    };
  }),
};

/** The body waits for acknowledgements of its own beginning. Not said of files, nor of what we did not ask to be compressed. */
export const bodyOverWindow: Rule = {
  code: 'body_over_window',
  severity: 'info',
  occasion: 'first',
  certain: false,
  find: perResult((result, _window, { compression = false }) => {
    const { http } = result;
    if (!http || !result.roundTrips || isFile(http) || isPacked(result.url)) return 'unknown';
    const encoding = http.encoding ?? null;
    if (encoding === null && !compression) return 'unknown';
    const waits = windowWaits(result, 'download');
    if (waits.length === 0) return 'clear';
    return {
      gains: both(trips(waits.length, 'T')),
      ...(encoding === null
        ? { model: { changes: [{ kind: 'compressBody', ratio: TEXT_RATIO }], milestones: ['total'] } }
        : {}),
      values: { bytes: http.bytes, waits: waits.length, encoding: encoding ?? 'none' },
    };
  }),
};

/** Whether an address is of a kind of file that is compressed already. */
export function isPacked(url: string): boolean {
  return URL.canParse(url) && PACKED_FILE.test(new URL(url).pathname);
}

/** HTTP/1.1 where HTTP/2 was offered: nothing for one request, connections and round trips for a page of many objects. */
export const noHttp2: Rule = {
  code: 'no_http2',
  severity: 'info',
  occasion: 'first',
  certain: true,
  // An API is asked one thing at a time.
  only: 'browser',
  find: perResult(({ http, tls }) => {
    if (!http || !tls?.hellos?.offeredAlpn.includes('h2')) return 'unknown';
    return http.version === '2' ? 'clear' : { gains: nothing(), values: { httpVersion: http.version } };
  }),
};

/** The second request on a connection needed a new one. */
export const noKeepAlive: Rule = {
  code: 'no_keep_alive',
  severity: 'warning',
  occasion: 'further',
  certain: true,
  find: perResult(
    (result, { full }) => {
      const { tcp } = result.phases;
      if (!result.ok || tcp === null) return 'unknown';
      if (tcp === 0) return 'clear';
      const tls = median(full.map(tlsTripsOf)) ?? tlsTripsOf(result);
      const early = full.some(mayFalseStart) ? 1 : 0;
      const gains = { api: trips(1 + tls, 'HUBT'), browser: trips(1 + tls - early, 'HUBT') };
      return { gains, values: { tlsTrips: tls } };
    },
    { of: ({ all }) => all.filter(({ variant }) => variant === 'reuse') },
  ),
};

/** The address answers with another one. Not said of redirects to a language or a sign-in. */
export const redirect: Rule = {
  code: 'redirect',
  severity: 'warning',
  occasion: 'first',
  certain: true,
  find: perResult((result, window) => {
    const { http, url, phases } = result;
    if (!http?.status) return 'unknown';
    if (![301, 302, 303, 307, 308].includes(http.status) || !http.location) return 'clear';
    if (!URL.canParse(http.location, url)) return 'unknown';
    const to = new URL(http.location, url);
    const isLanguage = LANGUAGE.test(to.pathname + to.search) || LANGUAGE_HOST.test(to.hostname);
    if (isLanguage || SIGN_IN.test(to.pathname) || SIGN_IN.test(to.hostname)) return 'unknown';
    const isSame = to.origin === new URL(url).origin;
    const values = { status: http.status, location: to.href.slice(0, 300), origin: isSame ? 'same' : 'other' };
    if (isSame) return { gains: both(trips(1, 'UBT')), values };
    const tls = tlsTripsOf(result);
    const dns = median(window.full.flatMap((each) => each.phases.dns ?? [])) ?? phases.dns ?? 0;
    const gain = (count: number) => ({ ...trips(count, 'UBT'), ms: dns });
    return { gains: { api: gain(2 + tls), browser: gain(2 + tls - (mayFalseStart(result) ? 1 : 0)) }, values };
  }),
};

/** HTTP/3 is not announced. Whether UDP 443 works at all, or is slower, was not measured: a notice. */
export const noHttp3: Rule = {
  code: 'no_http3',
  severity: 'info',
  occasion: 'return',
  notice: true,
  certain: true,
  find: perResult(
    ({ http, engineVersion }) => {
      if (!http || engineVersion < 3 || http.altSvc === undefined) return 'unknown';
      if (/\bh3\b/.test(http.altSvc ?? '')) return 'clear';
      return { gains: { browser: trips(1, 'HUBT'), api: NONE }, values: {} };
    },
    { of: ({ all }) => all.filter((result) => isMain(result) && result.ok) },
  ),
};

const tenths = (ms: number): number => Math.round(ms * 10) / 10;
