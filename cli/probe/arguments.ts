import { isIP } from 'node:net';
import { InvalidArgumentError } from 'commander';
import { parseChanges } from '#analysis/what-if/what-if.ts';
import { parseResolver } from '#contract/resolver.ts';
import { settingProblems } from '#contract/settings-problems.ts';
import { ProbeSettings, targetUrlProblem } from '#contract/target.ts';
import type { WhatIf } from './prediction.ts';

/** Each parser takes what stands on the command line and gives its value, or throws a sentence that names the fault. */

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

export function rate(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= 100_000) return value;
  throw new InvalidArgumentError('It must be a number of starts per second, more than 0 and at most 100000.');
}

export function oneOf<const T extends string>(...choices: T[]): (text: string) => T {
  return (text) => {
    const choice = choices.find((each) => each.toLowerCase() === text.toLowerCase());
    if (choice) return choice;
    throw new InvalidArgumentError(`It must be ${choices.join(', ').replace(/, ([^,]*)$/, ' or $1')}.`);
  };
}

export function alpnList(text: string): ('h2' | 'http/1.1')[] {
  const names = [...new Set(text.split(',').map((name) => oneOf('h2', 'http/1.1')(name.trim())))];
  return names;
}

/** curl's HOST:PORT:ADDRESS[,ADDRESS]...; an IPv6 address may stand in brackets, and `*` is any host. */
export type Resolve = { host: string; port: number; addresses: string[] };

/** Most addresses of one entry. */
const MAX_ADDRESSES = 16;

export function resolveEntry(text: string, before: Resolve[] = []): Resolve[] {
  // curl's leading + lets an entry expire, which one run doesn't live to see.
  const [, host = '', port = '', list = ''] = /^\+?(\[[^\]]*\]|[^:]+):(\d+):(.+)$/.exec(text) ?? [];
  if (host === '' || !(Number(port) >= 1 && Number(port) <= 65_535)) {
    throw new InvalidArgumentError('It must be HOST:PORT:ADDRESS[,ADDRESS], such as example.org:443:192.0.2.1.');
  }
  const addresses = list.split(',').map((address) => address.trim().replace(/^\[(.*)\]$/, '$1'));
  const wrong = addresses.findIndex((address) => isIP(address) === 0);
  if (wrong >= 0) throw new InvalidArgumentError(`Address ${wrong + 1} of ${addresses.length} is not an IP address.`);
  if (addresses.length > MAX_ADDRESSES) throw new InvalidArgumentError(`It has more than ${MAX_ADDRESSES} addresses.`);
  return [...before, { host: canonicalHost(host), port: Number(port), addresses }];
}

/** A host as URLs carry it: lower case, IDNs in punycode; without the dot that ends an absolute name. */
export function canonicalHost(host: string): string {
  const written = host === '*' ? host : (URL.parse(`https://${host}/`)?.hostname ?? host.toLowerCase());
  return written.replace(/\.$/, '');
}

/** A resolver to ask: ADDRESS, ADDRESS:PORT or [ADDRESS]:PORT. */
export function resolverAddress(text: string): string {
  const parsed = parseResolver(text);
  if (parsed && isIP(parsed.address) !== 0) return text;
  throw new InvalidArgumentError(
    'It must be an address, with a port if that is not 53: 192.0.2.53, [2001:db8::53]:5353.',
  );
}

/** The name to ask the server for; an IDN may be written as it is read. */
export function serverName(text: string): string {
  const sni = canonicalHost(text);
  const settings = ProbeSettings.safeParse({ sni });
  if (settings.success && sni !== '*' && settingProblems(settings.data).length === 0) return sni;
  throw new InvalidArgumentError('It must be a host name, such as www.example.org.');
}

/** The longest URL that a Result carries. */
const MAX_URL_LENGTH = 2_048;

/** A URL to probe; one without a scheme is taken as https. */
export function probeUrl(text: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  const problem = targetUrlProblem(url);
  if (problem) throw new InvalidArgumentError(`It ${problem}.`);
  const { href } = new URL(url);
  if (href.length <= MAX_URL_LENGTH) return href;
  throw new InvalidArgumentError(`It is longer than ${MAX_URL_LENGTH} characters.`);
}

/** Most URLs of one call. */
export const MAX_URLS = 100;

/** One more URL, after those that came before it. */
export function probeUrls(text: string, before: string[] = []): string[] {
  if (before.length >= MAX_URLS) throw new InvalidArgumentError(`There are more than ${MAX_URLS} URLs.`);
  return [...before, probeUrl(text)];
}

/** The changes of `--what-if`. */
export function whatIfArgument(text: string): WhatIf {
  try {
    return { text, changes: parseChanges(text) };
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}
