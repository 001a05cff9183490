import type { Change } from '#contract/advice.ts';
import { type Exchange, replay, sum } from './exchange.ts';
import {
  type Facts,
  leastGroups,
  MOST_RECORD_BYTES,
  NO_REDIRECTS,
  signatureMsOf,
  TLS13_OVERHEAD_BYTES,
} from './facts.ts';

/** Messages of TLS 1.3 as OpenSSL sends them, a record each: with headers, before encryption where that adds to them. */
const SERVER_HELLO_BYTES = 127;
const CHANGE_CIPHER_SPEC_BYTES = 6;
const ENCRYPTED_EXTENSIONS_BYTES = 21;
const FINISHED_BYTES = 52;
const TICKET_BYTES = 265;
const PRE_SHARED_KEY_BYTES = 6;
/** The server's part of a resumed TLS 1.2 handshake. */
const RESUMED_12_RECORDS = [101, 6, 45];
/** What OCSP's header in a Certificate message takes, and a message's own. */
const STAPLE_HEADER_BYTES = 8;
const ECDSA_SIGNATURE_BYTES = 71;
/** A public key in a certificate: P-256, and what RSA adds to its modulus. */
const EC_KEY_BYTES = 91;
const RSA_KEY_EXTRA_BYTES = 38;
/** What zlib and brotli leave of a usual chain, where that was not measured (RFC 8879 asks for no figure; 0.6 to 0.8 is seen). */
const CERTIFICATE_RATIO = 0.7;
/** HTTP/2 as nginx speaks it: its settings, and the headers of an answer, each in a record of its own. */
const SETTINGS_BYTES = 50;
const HEADERS_BYTES = 130;
/** The headers of an answer of HTTP/1.1 that HTTP/2 packs into its own. */
const HTTP1_HEADERS_BYTES = 240;
/** Records that are played one by one. */
const MOST_RECORDS = 1_000;
/** Of a record that is not encrypted, as those of a TLS 1.2 handshake. */
const RECORD_HEADER_BYTES = 5;
/** No message of a handshake is emptied below this when its flight shrinks. */
const LEAST_MESSAGE_BYTES = 42;

/** What the server would send with this set otherwise. What is so already stays as it is. */
export function changed(facts: Facts, change: Change, browser: boolean): Facts {
  const { exchange, chain } = facts;
  const having = (more: Partial<Exchange>): Facts => ({ ...facts, exchange: { ...exchange, ...more } });
  switch (change.kind) {
    case 'tls13':
      return withTls13(facts);
    case 'falseStart':
      return having({ falseStart: facts.version === 'TLSv1.2' });
    case 'noHelloRetry':
      return having({ handshake: exchange.handshake.slice(exchange.handshake.length > leastGroups(facts) ? 1 : 0) });
    case 'chain':
      return withChain(facts, change.bytes);
    case 'ecdsa':
      return withEcdsa(facts);
    case 'compressCertificate':
      // RFC 8879 is for TLS 1.3 alone.
      return browser && chain && !chain.compressed && facts.version === 'TLSv1.3'
        ? resized(facts, -(1 - (chain.compressibleTo ?? CERTIFICATE_RATIO)) * chain.bytes)
        : facts;
    case 'plainCertificate':
      return uncompressed(facts);
    case 'noStaple':
      return facts.stapleBytes === 0
        ? facts
        : { ...resized(facts, -(facts.stapleBytes + STAPLE_HEADER_BYTES)), stapleBytes: 0 };
    case 'compressBody':
      return withBody(facts, facts.bodyBytes * Math.min(1, change.ratio), largestRecord(facts));
    case 'records':
      return withBody(facts, facts.bodyBytes, change.bytes);
    case 'window':
      return having({ window: change.segments });
    case 'noDelay':
      return having({ noDelay: true });
    case 'resume':
      return resumed(facts);
    case 'earlyData':
      return { ...facts, exchange: { ...resumed(facts).exchange, request: 'early' } };
    case 'keepAlive':
      return having({ request: 'further' });
    case 'dns':
      return { ...facts, dnsMs: change.ms };
    case 'http2':
      return withHttp2(facts);
    case 'edge':
      return having({ rttMs: change.rttMs });
    case 'noRedirect':
      return { ...facts, redirects: NO_REDIRECTS };
  }
}

/** The flight as clients get it that do not offer certificate compression. */
export function uncompressed(facts: Facts): Facts {
  if (!facts.chain?.compressed) return facts;
  const { bytes, certificates, compressed } = facts.chain;
  return { ...resized(facts, compressed.fromBytes - compressed.toBytes), chain: { bytes, certificates } };
}

/** Certificates of so many bytes; of compressed ones as much is left as of those before. */
function withChain(facts: Facts, bytes: number): Facts {
  const { chain } = facts;
  if (!chain) return facts;
  const { compressed } = chain;
  const ratio = compressed ? compressed.toBytes / compressed.fromBytes : 1;
  const more = bytes - chain.bytes;
  const sizes = compressed && {
    compressed: { fromBytes: compressed.fromBytes + more, toBytes: compressed.toBytes + ratio * more },
  };
  return { ...resized(facts, ratio * more), chain: { ...chain, bytes, ...sizes } };
}

/** TLS 1.3 instead of 1.2: one flight with the same certificates, a staple among them, and tickets once it is over. */
function withTls13(facts: Facts): Facts {
  if (facts.version === 'TLSv1.3') return facts;
  const { exchange, chain, stapleBytes } = facts;
  const [first = []] = exchange.handshake;
  const leaf = chain?.certificates[0];
  const signature = leaf?.keyType === 'rsa' ? (leaf.keyBits ?? 2_048) / 8 : ECDSA_SIGNATURE_BYTES;
  // What is not the chain in the flight of TLS 1.2: hellos, the key exchange, and headers.
  const chainBytes = chain?.bytes ?? Math.max(0, sum(first) - signature - stapleBytes - 200);
  const count = chain?.certificates.length ?? 2;
  const certificate = chainBytes + 8 + 5 * count + (stapleBytes > 0 ? stapleBytes + STAPLE_HEADER_BYTES : 0);
  const sealed = (bytes: number) => recordsOf(bytes, MOST_RECORD_BYTES, TLS13_OVERHEAD_BYTES);
  const flight = [
    SERVER_HELLO_BYTES,
    CHANGE_CIPHER_SPEC_BYTES,
    ...[ENCRYPTED_EXTENSIONS_BYTES, certificate, signature + 8, FINISHED_BYTES].flatMap(sealed),
  ];
  const ticket = TICKET_BYTES + TLS13_OVERHEAD_BYTES;
  const resealed = (bytes: number) =>
    Math.max(TLS13_OVERHEAD_BYTES, bytes - facts.recordOverheadBytes + TLS13_OVERHEAD_BYTES);
  return {
    ...facts,
    version: 'TLSv1.3',
    recordOverheadBytes: TLS13_OVERHEAD_BYTES,
    exchange: {
      ...exchange,
      handshake: [flight],
      falseStart: false,
      greeting: [ticket, ticket, ...exchange.greeting.map(resealed)],
      answer: exchange.answer.map(resealed),
    },
  };
}

/** A chain that fits is looked for in steps of so many bytes, and is no smaller than one small certificate. */
const CHAIN_STEP_BYTES = 100;
const LEAST_CHAIN_BYTES = 600;
/** Left free: other certificates have other signatures and headers, and a chain is not made to the byte. */
const SPARE_BYTES = 100;

/**
 * The largest chain (bytes of its certificates, uncompressed) with which the handshake does not wait for acknowledgements, neither as
 * it is nor under TLS 1.3, also where the server writes through OpenSSL's buffer; null where none is.
 */
export function fittingChain(facts: Facts): number | null {
  const plain = uncompressed(facts);
  const states = [plain, withTls13(plain)];
  const waits = (state: Facts, bytes: number) => {
    const { exchange } = changed(state, { kind: 'chain', bytes: bytes + SPARE_BYTES }, false);
    return replay({ ...exchange, flightWrites: 'buffered' }, 'api').pauses.some(({ step }) => step === 'handshake');
  };
  const fits = (bytes: number) => !states.some((state) => waits(state, bytes));
  let [low, high] = [LEAST_CHAIN_BYTES / CHAIN_STEP_BYTES, Math.floor((plain.chain?.bytes ?? 0) / CHAIN_STEP_BYTES)];
  if (high <= low || !fits(LEAST_CHAIN_BYTES)) return null;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fits(middle * CHAIN_STEP_BYTES)) low = middle;
    else high = middle;
  }
  return low * CHAIN_STEP_BYTES;
}

/** Keys and signatures of P-256 throughout the chain; of an ECDSA leaf those of its issuers. */
function withEcdsa(facts: Facts): Facts {
  const { chain } = facts;
  const leaf = chain?.certificates[0];
  if (!chain?.certificates.some(({ keyType }) => keyType === 'rsa')) return facts;
  const rsaBytes = (key: { keyType: string; keyBits: number | null } | undefined) =>
    key?.keyType === 'rsa' ? (key.keyBits ?? 2_048) / 8 : null;
  const spared = chain.certificates.reduce((total, certificate, index) => {
    const own = rsaBytes(certificate);
    const signer = rsaBytes(chain.certificates[index + 1] ?? certificate);
    const key = own === null ? 0 : own + RSA_KEY_EXTRA_BYTES - EC_KEY_BYTES;
    return total + key + (signer === null ? 0 : signer - ECDSA_SIGNATURE_BYTES);
  }, 0);
  const proof = (rsaBytes(leaf) ?? ECDSA_SIGNATURE_BYTES) - ECDSA_SIGNATURE_BYTES;
  const certificates = chain.certificates.map(() => ({ keyType: 'ec', keyBits: 256 }));
  return {
    ...resized(facts, -(spared + proof)),
    chain: { bytes: chain.bytes - spared, certificates },
    signatureMs: signatureMsOf({ keyType: 'ec', keyBits: 256 }),
  };
}

/** A handshake that takes up an earlier session: no certificate, no signature, one round trip under TLS 1.2 too. */
function resumed(facts: Facts): Facts {
  const { exchange, version } = facts;
  const flight =
    version === 'TLSv1.2'
      ? RESUMED_12_RECORDS
      : [
          SERVER_HELLO_BYTES + PRE_SHARED_KEY_BYTES,
          CHANGE_CIPHER_SPEC_BYTES,
          ENCRYPTED_EXTENSIONS_BYTES + TLS13_OVERHEAD_BYTES,
          FINISHED_BYTES + TLS13_OVERHEAD_BYTES,
        ];
  return {
    ...facts,
    exchange: { ...exchange, handshake: [flight], falseStart: false },
    chain: null,
    stapleBytes: 0,
    signatureMs: 0,
  };
}

function withHttp2(facts: Facts): Facts {
  if (facts.http2) return facts;
  const { exchange, recordOverheadBytes: overhead } = facts;
  const bodyBytes = Math.max(1, sum(clearOf(facts)) - HTTP1_HEADERS_BYTES);
  const body = facts.bodyBytes === 0 ? [] : recordsOf(bodyBytes, largestRecord(facts), overhead);
  return {
    ...facts,
    http2: true,
    exchange: {
      ...exchange,
      greeting: [...exchange.greeting, SETTINGS_BYTES + overhead],
      answer: [HEADERS_BYTES + overhead, ...body],
      firstBodyIndex: facts.bodyBytes === 0 ? -1 : 1,
    },
  };
}

/** A body of so many bytes, in records that hold at most so many. Headers in records of their own stay. */
function withBody(facts: Facts, bodyBytes: number, mostBytes: number): Facts {
  const { exchange, recordOverheadBytes: overhead } = facts;
  if (exchange.firstBodyIndex < 0) return facts;
  const headers = exchange.answer.slice(0, exchange.firstBodyIndex);
  const clear = clearOf(facts).slice(exchange.firstBodyIndex);
  const total = Math.max(1, sum(clear) - (facts.bodyBytes - bodyBytes));
  const answer = [...headers, ...recordsOf(total, mostBytes, overhead)];
  return { ...facts, bodyBytes, exchange: { ...exchange, answer } };
}

/** The clear text of each record of the answer. */
function clearOf({ exchange, recordOverheadBytes }: Facts): number[] {
  return exchange.answer.map((bytes) => Math.max(1, bytes - recordOverheadBytes));
}

function largestRecord(facts: Facts): number {
  return Math.max(...clearOf(facts));
}

/** Records of at most so many bytes; after many of them the rest as one, which alters the end alone. */
function recordsOf(clearBytes: number, mostBytes: number, overheadBytes: number): number[] {
  const records: number[] = [];
  for (let left = Math.max(1, Math.round(clearBytes)); left > 0; ) {
    const bytes = records.length < MOST_RECORDS ? Math.min(left, mostBytes) : left;
    records.push(bytes + overheadBytes);
    left -= bytes;
  }
  return records;
}

/** The flight with the certificates, so many bytes larger or smaller: its largest messages change, and records are cut again. */
function resized(facts: Facts, byBytes: number): Facts {
  const { exchange } = facts;
  const sizes = exchange.handshake.map(sum);
  const flightIndex = sizes.indexOf(Math.max(...sizes));
  const overheadBytes = facts.version === 'TLSv1.3' ? TLS13_OVERHEAD_BYTES : RECORD_HEADER_BYTES;
  const messages = messagesOf(exchange.handshake[flightIndex] ?? [], MOST_RECORD_BYTES + overheadBytes);
  let left = Math.round(byBytes);
  while (left !== 0) {
    const lengths = messages.map(sum);
    const largest = lengths.indexOf(Math.max(...lengths));
    const clearBytes = (lengths[largest] ?? 0) - (messages[largest]?.length ?? 0) * overheadBytes;
    const step = Math.max(left, LEAST_MESSAGE_BYTES - clearBytes);
    if (left < 0 && step >= 0) break;
    messages[largest] = recordsOf(clearBytes + step, MOST_RECORD_BYTES, overheadBytes);
    left -= step;
  }
  const handshake = exchange.handshake.map((group, index) => (index === flightIndex ? messages.flat() : group));
  return { ...facts, exchange: { ...exchange, handshake } };
}

/** The records of each message: one that is larger than a record ends in the first that is not full. */
function messagesOf(records: readonly number[], fullBytes: number): number[][] {
  const messages: number[][] = [];
  for (const [index, bytes] of records.entries()) {
    if ((records[index - 1] ?? 0) >= fullBytes) messages.at(-1)?.push(bytes);
    else messages.push([bytes]);
  }
  return messages;
}
