import type { ServerKind } from '#contract/advice.ts';
import type { Result } from '#contract/result.ts';
import { replay } from '../what-if/exchange.ts';
import { tlsTripsOf } from '../what-if/facts.ts';
import type { Facts } from '../what-if/what-if.ts';
import { perResult, type Rule } from './rule.ts';
import { serverKindOf } from './snippets.ts';
import { causeOf, isMain, LEAST_WAIT_SHARE, rttOf, USUAL_MSS, USUAL_SEGMENTS, windowWaits } from './window.ts';
import { baseOf } from './worth.ts';

/** A body of this size on is a download of a file, of which the first record does not matter. */
const FILE_BYTES = 1_048_576;
/** A server whose own work of a handshake takes longer (ms) has no processor to spare for more records. */
const BUSY_WORK_MS = 25;
/** Records of fewer bytes of body on average are tiny ones; so many of them cost processor time by themselves. */
const TINY_BYTES = 400;
const MANY_RECORDS = 16;
/** The window counts segments: tiny ones fill it before so many full ones would. */
const EARLY_SEGMENTS = 8;
/** A body that takes so much longer than its replay (the larger of ms and of a share of a round trip) is sent as it comes into being. */
const STREAM_MS = 5;
const STREAM_SHARE = 0.3;
/** Records (bytes) that the snippet of each server makes, and those of all others. */
const RECORD_BYTES: Partial<Record<ServerKind, number>> = { haproxy: 1_400, node: 1_400 };
const USUAL_RECORD_BYTES = 4_096;
/** What a record of that size may have on top: header, encryption, padding. */
const RECORD_EXTRA_BYTES = 64;
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
    const wanted = RECORD_BYTES[serverKindOf(http.server) ?? 'nginx'] ?? USUAL_RECORD_BYTES;
    if (bytes < 2 * mss || bytes <= wanted + RECORD_EXTRA_BYTES || gapMs < LEAST_WAIT_SHARE * rtt) return 'clear';
    // A body that the window holds was kept back by something else; so was one during a delay of the prober.
    if (http.bytes <= Math.min(windowBytes, USUAL_SEGMENTS * mss) * 0.9) return 'unknown';
    if ((prober.lateMs ?? 0) >= gapMs / 2) return 'unknown';
    const waits = (result.roundTrips?.waits ?? []).filter(({ phase }) => phase !== 'tls');
    if (waits.some((wait) => causeOf(wait, rtt, result) === 'nagle')) return 'unknown';
    return {
      changes: [{ kind: 'records', bytes: wanted }],
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
  // Without a pause they cost bytes and work alone.
  severity: ({ waits }) => (Number(waits) > 0 ? 'warning' : 'info'),
  occasion: 'first',
  certain: false,
  find: perResult((result) => {
    const { http, network, tls } = result;
    const rtt = rttOf(result);
    if (!http?.records || rtt === null) return 'unknown';
    const mean = http.bytes / http.records;
    if (http.records < 2 || mean >= TINY_BYTES) return 'clear';
    const waits = (result.roundTrips?.waits ?? []).filter(({ phase }) => phase !== 'tls');
    const base = baseOf([[result]]);
    if (base?.basis !== 'model' || isStream(base.facts)) return 'unknown';
    const early = EARLY_SEGMENTS * (network.mss ?? USUAL_MSS);
    const held = waits.filter((wait) => wait.heldBy === 'window' && wait.afterBytes < early).length;
    if (held === 0 && http.records < MANY_RECORDS) return 'clear';
    const overhead = (http.records - 1) * (tls?.version === 'TLSv1.3' ? 22 : 29);
    return {
      changes: [{ kind: 'records', bytes: USUAL_RECORD_BYTES }],
      values: {
        records: http.records,
        bytes: http.bytes,
        meanBytes: Math.round(mean),
        overheadBytes: overhead,
        waits: held,
      },
    };
  }),
};

/** Whether pieces of the body came when they were made: later than a server would have sent them that had them all. */
function isStream({ exchange, measured }: Facts): boolean {
  const { milestones } = replay(exchange, 'api');
  const excessMs = measured.total - measured.firstUsable - (milestones.total - milestones.firstUsable);
  return excessMs > Math.max(STREAM_MS, STREAM_SHARE * exchange.rttMs);
}

/** The body waits for acknowledgements of its own beginning. Not said of files, nor of what we did not ask to be compressed. */
export const bodyOverWindow: Rule = {
  code: 'body_over_window',
  severity: 'info',
  occasion: 'first',
  certain: false,
  find: perResult((result, _window, { compression = false }) => {
    const { http } = result;
    if (!http || !result.roundTrips || isFile(http) || isPacked(result.url)) return 'unknown';
    if ((http.encoding ?? null) !== null) return 'clear';
    if (!compression) return 'unknown';
    const waits = windowWaits(result, 'download');
    if (waits.length === 0) return 'clear';
    return {
      changes: [{ kind: 'compressBody', ratio: TEXT_RATIO }],
      values: { bytes: http.bytes, waits: waits.length },
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
    return http.version === '2' ? 'clear' : { changes: [{ kind: 'http2' }], values: { httpVersion: http.version } };
  }),
};

/** The second request on a connection needed a new one. */
export const noKeepAlive: Rule = {
  code: 'no_keep_alive',
  severity: 'warning',
  occasion: 'further',
  certain: true,
  find: perResult(
    (result) => {
      const { tcp } = result.phases;
      if (!result.ok || tcp === null) return 'unknown';
      return tcp === 0 ? 'clear' : { changes: [{ kind: 'keepAlive' }], values: { tlsTrips: tlsTripsOf(result) } };
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
    const { http, url } = result;
    if (!http?.status) return 'unknown';
    if (![301, 302, 303, 307, 308].includes(http.status) || !http.location) return 'clear';
    if (!URL.canParse(http.location, url)) return 'unknown';
    const to = new URL(http.location, url);
    const isLanguage = LANGUAGE.test(to.pathname + to.search) || LANGUAGE_HOST.test(to.hostname);
    if (isLanguage || SIGN_IN.test(to.pathname) || SIGN_IN.test(to.hostname)) return 'unknown';
    const isSame = to.origin === new URL(url).origin;
    const values = { status: http.status, location: to.href.slice(0, 300), origin: isSame ? 'same' : 'other' };
    // Where it was not followed, what comes at its end is taken to be as it is.
    const followed = window.all.filter(({ variant, mainId }) => variant === 'redirect' && mainId === result.id);
    const visit = [result, ...(followed.length > 0 ? followed : [{ ...result, url: to.href }])];
    return { changes: [{ kind: 'noRedirect' }], values, visit };
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
      return { changes: [], values: {} };
    },
    { of: ({ all }) => all.filter((result) => isMain(result) && result.ok) },
  ),
};

const tenths = (ms: number): number => Math.round(ms * 10) / 10;
