import { isIP } from 'node:net';
import { ProbeSettings } from '#contract/target.ts';
import { canonicalHost, type Resolve } from './arguments.ts';

/** The options of `roundtrip probe` after commander has parsed each. */
export type ProbeOptions = {
  count: number;
  rate?: number;
  concurrency?: number;
  threads: number;
  json: boolean;
  resume: boolean;
  tls?: '1.2' | '1.3';
  alpn?: ('h2' | 'http/1.1')[];
  sigalgs?: 'RSA' | 'ECDSA';
  family?: '4' | '6';
  resolve: Resolve[];
  cacert?: string;
  insecure: boolean;
  http: boolean;
  timeout?: number;
};

/** What one thread runs: `count` probes, started `everyMs` apart (0: as soon as one may), at most `concurrency` at once. */
export type Plan = {
  url: string;
  settings: ProbeSettings;
  timeoutMs: number;
  count: number;
  everyMs: number;
  concurrency: number;
  /** Follow each probe with one that resumes its session. */
  resume: boolean;
};

const DEFAULT_TIMEOUT_MS = 30_000;
/** With a rate and no cap given, so many may be in flight before starts fall behind. */
const PACED_CONCURRENCY = 256;
const LONGEST_PHASE_MS = 60_000;

export function planOf(url: string, options: ProbeOptions): Plan {
  return {
    url,
    settings: settingsOf(url, options),
    timeoutMs: options.timeout ?? DEFAULT_TIMEOUT_MS,
    count: options.count,
    everyMs: options.rate ? 1_000 / options.rate : 0,
    concurrency: options.concurrency ?? (options.rate ? PACED_CONCURRENCY : options.threads),
    resume: options.resume,
  };
}

function settingsOf(url: string, options: ProbeOptions): ProbeSettings {
  return ProbeSettings.parse({
    alpn: options.alpn,
    tlsVersion: options.tls,
    sigalgs: options.sigalgs,
    family: options.family === undefined ? undefined : Number(options.family),
    address: fixedAddress(url, options.resolve),
    verify: !options.insecure,
    http: options.http,
    caPem: options.cacert,
    timeouts: timeoutsOf(options.timeout),
  });
}

/** A time-out that the user gives bounds the whole probe, and no phase is cut short before it. */
function timeoutsOf(timeout: number | undefined): Record<string, number> | undefined {
  if (timeout === undefined) return undefined;
  const each = Math.min(timeout, LONGEST_PHASE_MS);
  return { dns: each, tcp: each, tls: each, firstByte: each, download: each };
}

/** The last entry for this host and port counts, as in curl; others are of no interest. */
function fixedAddress(href: string, entries: Resolve[]): string | undefined {
  const url = new URL(href);
  const port = url.port === '' ? 443 : Number(url.port);
  const matching = entries.filter(
    (entry) => (entry.host === canonicalHost(url.hostname) || entry.host === '*') && entry.port === port,
  );
  const address = matching.at(-1)?.address;
  return address && isIP(address) !== 0 ? address : undefined;
}

/** Shares a plan among threads; each keeps its part of the pace and of the cap. */
export function sharesOf(plan: Plan, threads: number): Plan[] {
  const used = Math.min(threads, plan.count);
  const part = (total: number, index: number) => Math.floor(total / used) + (index < total % used ? 1 : 0);
  return Array.from({ length: used }, (_, index) => ({
    ...plan,
    count: part(plan.count, index),
    concurrency: Math.max(1, part(plan.concurrency, index)),
    everyMs: plan.everyMs * used,
  }));
}
