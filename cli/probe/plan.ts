import { isIP } from 'node:net';
import { InvalidArgumentError } from 'commander';
import type { MeasurementLocation } from '#contract/measurement.ts';
import { settingProblems } from '#contract/settings-problems.ts';
import { type METHODS, ProbeSettings } from '#contract/target.ts';
import { secureContextOf } from '#probe/tls/secure-context.ts';
import { canonicalHost, type Resolve } from './arguments.ts';
import type { Condition } from './conditions.ts';
import type { WhatIf } from './prediction.ts';
import type { Header } from './request-arguments.ts';

/** The options of `roundtrip probe` after commander has parsed each. */
export type ProbeOptions = {
  count: number;
  rate?: number;
  concurrency?: number;
  threads: number;
  json: boolean;
  resume: boolean;
  reuse?: true;
  compressed?: true;
  certificateCompression?: boolean;
  tls?: '1.2' | '1.3';
  alpn?: ('h2' | 'http/1.1')[];
  sigalgs?: 'RSA' | 'ECDSA' | 'both';
  sni?: string;
  family?: '4' | '6';
  ipv4?: true;
  ipv6?: true;
  resolve?: Resolve[];
  resolver?: string;
  cacert?: string;
  cert?: { certPem: string; keyPem: string | null };
  key?: string;
  insecure: boolean;
  http: boolean;
  method?: (typeof METHODS)[number];
  header?: Header[];
  data?: string;
  expectStatus?: string[];
  expectText?: string;
  expectNoText?: string;
  redirects?: number;
  timeout?: number;
  whatIf?: WhatIf;
  failIf?: Condition[];
  explain: boolean;
  compare?: string;
  from?: MeasurementLocation[];
  server?: string;
  keyFile?: string;
  insecureServer?: true;
};

/** What one thread runs: `count` probes, started `everyMs` apart (0: as soon as one may), at most `concurrency` at once. */
export type Plan = {
  url: string;
  settings: ProbeSettings;
  /** Addresses to try in turn where `settings.address` does not answer. */
  otherAddresses: string[];
  timeoutMs: number;
  count: number;
  everyMs: number;
  concurrency: number;
  /** What is predicted of each Result. */
  whatIf?: WhatIf | undefined;
  failIf?: Condition[] | undefined;
};

const DEFAULT_TIMEOUT_MS = 30_000;
/** With a rate and no cap given, so many may be in flight before starts fall behind. */
const PACED_CONCURRENCY = 256;
/** Most probes of several addresses in one call: their Results are kept for the medians. */
const MAX_IN_TURN = 10_000;
const LONGEST_PHASE_MS = 60_000;

/** A plan for each URL, then for that of `--compare`. Throws an InvalidArgumentError whose sentence names what doesn't go together. */
export function plansOf(urls: readonly string[], options: ProbeOptions): Plan[] {
  const { compare } = options;
  if (compare !== undefined && urls.length > 1)
    throw new InvalidArgumentError("option '--compare' takes one URL beside its own.");
  const all = compare === undefined ? urls : [...urls, compare];
  if (all.length > 1) refuseInTurn(all.length, options);
  return all.map((url) => planOf(url, options));
}

/** Throws an InvalidArgumentError whose sentence names the options that don't go together. */
export function planOf(url: string, options: ProbeOptions): Plan {
  const [address, ...otherAddresses] = fixedAddresses(url, options);
  return {
    url,
    settings: settingsOf(options, address),
    otherAddresses,
    timeoutMs: options.timeout ?? DEFAULT_TIMEOUT_MS,
    count: options.count,
    everyMs: options.rate ? 1_000 / options.rate : 0,
    whatIf: options.whatIf,
    failIf: options.failIf,
    concurrency: options.concurrency ?? (options.rate ? PACED_CONCURRENCY : options.threads),
  };
}

function settingsOf(options: ProbeOptions, address: string | undefined): ProbeSettings {
  refuseIdle(options);
  const settings = ProbeSettings.parse({
    alpn: options.alpn,
    tlsVersion: options.tls,
    sigalgs: options.sigalgs,
    resume: options.resume,
    reuse: options.reuse,
    compression: options.compressed,
    certificateCompression: options.certificateCompression === false ? false : undefined,
    sni: options.sni,
    family: familyOf(options),
    address,
    resolver: options.resolver,
    verify: !options.insecure,
    http: options.http,
    caPem: options.cacert,
    clientCertificate: clientCertificateOf(options),
    request: requestOf(options),
    expect: { status: options.expectStatus, bodyContains: options.expectText, bodyLacks: options.expectNoText },
    redirects: options.redirects,
    timeouts: timeoutsOf(options.timeout),
  });
  const [problem] = settingProblems(settings);
  if (problem) throw new InvalidArgumentError(`${OPTION_OF[problem.field] ?? problem.field} ${problem.message}.`);
  usable(settings);
  return settings;
}

/** The options whose values are wrong only beside those of others. */
const OPTION_OF: Record<string, string> = {
  'expect.bodyContains': "option '--expect-text'",
  'alpn.1': "option '--alpn'",
  compression: "option '--compressed'",
};

/** As in curl, a body makes it a POST where no method is given. */
function requestOf({ method, header, data }: ProbeOptions): Record<string, unknown> {
  return { method: method ?? (data === undefined ? undefined : 'POST'), headers: header, body: data };
}

/** The key of `--key`, or the one that stands in the certificate's own file. */
function clientCertificateOf({ cert, key }: ProbeOptions): ProbeSettings['clientCertificate'] {
  if (!cert) {
    if (key !== undefined)
      throw new InvalidArgumentError("option '--key' needs the certificate of the key: '--cert <file>'.");
    return null;
  }
  const keyPem = key ?? cert.keyPem;
  if (keyPem === null)
    throw new InvalidArgumentError("option '--cert' needs the key of the certificate: '--key <file>'.");
  return { certPem: cert.certPem, keyPem };
}

/** Without HTTP nothing is sent or checked: asking for both is a mistake. */
function refuseIdle(options: ProbeOptions): void {
  if (options.http) return;
  const given: Record<string, boolean> = {
    '--method': options.method !== undefined,
    '--header': options.header !== undefined,
    '--data': options.data !== undefined,
    '--expect-status': options.expectStatus !== undefined,
    '--expect-text': options.expectText !== undefined,
    '--expect-no-text': options.expectNoText !== undefined,
    '--redirects': options.redirects !== undefined,
    '--reuse': options.reuse !== undefined,
    '--compressed': options.compressed !== undefined,
  };
  const [idle] = Object.keys(given).filter((option) => given[option]);
  if (idle) throw new InvalidArgumentError(`option '${idle}' has no effect with '--no-http'.`);
}

/** Addresses in turn are probed one after the other: what would change that, or ask for more of one of them, is refused. */
function refuseInTurn(addresses: number, options: ProbeOptions): void {
  const { compare, count, rate, concurrency, threads, explain, whatIf } = options;
  const given: Record<string, boolean> = {
    '--rate': rate !== undefined,
    '--concurrency': concurrency !== undefined,
    '--threads': threads > 1,
    '--explain': explain,
    '--what-if': whatIf !== undefined,
  };
  const [refused] = Object.keys(given).filter((option) => given[option]);
  const beside = compare === undefined ? 'several URLs' : "'--compare'";
  if (refused) throw new InvalidArgumentError(`option '${refused}' cannot be combined with ${beside}.`);
  if (addresses * count > MAX_IN_TURN)
    throw new InvalidArgumentError(
      `option '--count' is at most ${Math.floor(MAX_IN_TURN / addresses)} with ${addresses} URLs.`,
    );
}

/** `-4` and `-6` are short for `--family`. */
function familyOf({ family, ipv4, ipv6 }: ProbeOptions): 4 | 6 | undefined {
  const wanted = new Set([family, ipv4 && '4', ipv6 && '6'].filter((each) => each !== undefined));
  if (wanted.size > 1)
    throw new InvalidArgumentError("options '-4' ('--family 4') and '-6' ('--family 6') cannot be combined.");
  return wanted.has('6') ? 6 : wanted.has('4') ? 4 : undefined;
}

/** Roots, certificate and key are tried once before a thousand probes fail by them. */
function usable(settings: ProbeSettings): void {
  const kinds = settings.sigalgs === 'both' ? ([null, 'RSA', 'ECDSA'] as const) : [settings.sigalgs];
  try {
    for (const sigalgs of kinds) secureContextOf({ ...settings, sigalgs });
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error);
    throw new InvalidArgumentError(`${named(sentence)}.`);
  }
}

/** The engine's messages name settings; the user typed options. */
const named = (sentence: string) =>
  sentence
    .replace('(caPem)', '(--cacert)')
    .replace('(sigalgs)', '(--sigalgs)')
    .replace('(certPem)', '(--cert)')
    .replace('(keyPem)', '(--key)');

/** A time-out that the user gives bounds the whole probe, and no phase is cut short before it. */
function timeoutsOf(timeout: number | undefined): Record<string, number> | undefined {
  if (timeout === undefined) return undefined;
  const each = Math.min(timeout, LONGEST_PHASE_MS);
  return { dns: each, tcp: each, tls: each, firstByte: each, download: each };
}

/** As in curl the last entry for this host and port counts, and one for any host (`*`) where there is none. */
function fixedAddresses(href: string, options: ProbeOptions): string[] {
  const { resolve: entries = [] } = options;
  const family = familyOf(options);
  const url = new URL(href);
  const port = url.port === '' ? 443 : Number(url.port);
  const lastOf = (host: string) => entries.findLast((entry) => entry.host === host && entry.port === port);
  const addresses = (lastOf(canonicalHost(url.hostname)) ?? lastOf('*'))?.addresses ?? [];
  const fitting = addresses.filter((address) => family === undefined || isIP(address) === family);
  // Where none is of the family, the settings say so.
  return fitting.length > 0 ? fitting : addresses;
}

/** Shares a plan among threads, at most as many as may have a probe in flight; each keeps its part of the pace and of the cap. */
export function sharesOf(plan: Plan, threads: number): Plan[] {
  const used = Math.min(threads, plan.count, plan.concurrency);
  const part = (total: number, index: number) => Math.floor(total / used) + (index < total % used ? 1 : 0);
  return Array.from({ length: used }, (_, index) => ({
    ...plan,
    count: part(plan.count, index),
    concurrency: part(plan.concurrency, index),
    everyMs: plan.everyMs * used,
  }));
}
