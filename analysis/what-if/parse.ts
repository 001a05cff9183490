import type { Change } from '#contract/advice.ts';

type Named = { example: string; takes: string; parse: (value: string) => Change | null };

const MOST_BYTES = 1_000_000;
const LEAST_RECORD_BYTES = 64;
const MOST_RECORD_BYTES = 16_384;
const MOST_SEGMENTS = 1_000;
const MOST_RTT_MS = 10_000;

/** `4k` is 4,096 bytes, as in the configuration of nginx. */
function bytesOf(text: string): number | null {
  const [, digits = '', unit] = /^(\d+(?:\.\d+)?)(k|kb)?$/i.exec(text) ?? [];
  const value = digits === '' ? Number.NaN : Math.round(Number(digits) * (unit ? 1_024 : 1));
  return value >= 1 && value <= MOST_BYTES ? value : null;
}

function numberOf(text: string, most: number): number | null {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return value > 0 && value <= most ? value : null;
}

const only = (word: string, change: Change) => ({
  example: word,
  takes: word,
  parse: (value: string) => (value.toLowerCase() === word ? change : null),
});
const made = <T>(value: T | null, change: (value: T) => Change) => (value === null ? null : change(value));

/** What may be changed, by the name under which it is typed. */
const NAMED: Record<string, Named> = {
  tls: only('1.3', { kind: 'tls13' }),
  chain: {
    example: '1k',
    takes: 'the bytes of all certificates, such as 2500 or 1k',
    parse: (value) => made(bytesOf(value), (bytes) => ({ kind: 'chain', bytes })),
  },
  key: only('ecdsa', { kind: 'ecdsa' }),
  certificates: {
    example: 'compressed',
    takes: 'compressed or plain',
    parse: (value) =>
      value === 'compressed'
        ? { kind: 'compressCertificate' }
        : value === 'plain'
          ? { kind: 'plainCertificate' }
          : null,
  },
  staple: only('off', { kind: 'noStaple' }),
  body: {
    example: '0.25',
    takes: 'the compressed size by the plain one, more than 0 and at most 1',
    parse: (value) => made(numberOf(value, 1), (ratio) => ({ kind: 'compressBody', ratio })),
  },
  records: {
    example: '4k',
    takes: `bytes from ${LEAST_RECORD_BYTES} to 16k`,
    parse: (value) => {
      const bytes = bytesOf(value) ?? 0;
      return bytes >= LEAST_RECORD_BYTES && bytes <= MOST_RECORD_BYTES ? { kind: 'records', bytes } : null;
    },
  },
  window: {
    example: '10',
    takes: `a whole number of segments from 1 to ${MOST_SEGMENTS}`,
    parse: (value) =>
      /^\d+$/.test(value) ? made(numberOf(value, MOST_SEGMENTS), (segments) => ({ kind: 'window', segments })) : null,
  },
  nagle: only('off', { kind: 'noDelay' }),
  resume: only('on', { kind: 'resume' }),
  http: only('2', { kind: 'http2' }),
  rtt: {
    example: '20',
    takes: `milliseconds, more than 0 and at most ${MOST_RTT_MS}`,
    parse: (value) => made(numberOf(value, MOST_RTT_MS), (rttMs) => ({ kind: 'edge', rttMs })),
  },
  redirect: only('off', { kind: 'noRedirect' }),
};

/** All that may be changed, with an example of each: `tls=1.3, chain=1k, ...`. */
export const ALLOWED_CHANGES = Object.entries(NAMED)
  .map(([name, { example }]) => `${name}=${example}`)
  .join(', ');

/** Reads `tls=1.3,chain=1k`. Throws an Error whose sentence names what is wrong and lists what is allowed. */
export function parseChanges(text: string): Change[] {
  const seen = new Set<string>();
  return text.split(',').map((item) => {
    const [name = '', value, ...more] = item.trim().toLowerCase().split('=');
    const known = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
    if (!known) throw new Error(`${quoted(item)} is no change that can be predicted. Possible: ${ALLOWED_CHANGES}.`);
    if (seen.has(name)) throw new Error(`${name} is given twice.`);
    seen.add(name);
    seen.add(name);
    const change = value === undefined || more.length > 0 ? null : known.parse(value.trim());
    if (!change)
      throw new Error(`${name} takes ${known.takes}, such as ${name}=${known.example}; got ${quoted(item)}.`);
    return change;
  });
}

const MOST_QUOTED = 40;
const quoted = (item: string) => `'${item.trim().slice(0, MOST_QUOTED)}'`;
