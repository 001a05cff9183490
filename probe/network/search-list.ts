import os from 'node:os';
import { KnownFile } from './known-file.ts';

/** How names are completed (resolv.conf(5)): the domains to search, and with so many dots a name is asked for as it is first. */
export type SearchRules = { domains: string[]; ndots: number };

const MAX_NDOTS = 15;

const resolvConf = new KnownFile('/etc/resolv.conf', parseResolvConf);

/**
 * The names to ask a resolver for in turn until one has an address, as glibc does: the machine's search list completes a
 * name, unless it ends with a dot. The environment (LOCALDOMAIN, RES_OPTIONS) goes before the file.
 */
export function namesToAsk(host: string, rules: SearchRules = searchRules()): string[] {
  const name = host.replace(/\.$/, '');
  if (name !== host) return [name];
  const completed = rules.domains.map((domain) => `${name}.${domain}`);
  return name.split('.').length - 1 >= rules.ndots ? [name, ...completed] : [...completed, name];
}

function searchRules(): SearchRules {
  const { domains, ndots } = resolvConf.get();
  const { LOCALDOMAIN, RES_OPTIONS = '' } = process.env;
  return {
    domains: (LOCALDOMAIN === undefined ? domains : domainsOf(LOCALDOMAIN)) ?? ownDomain(),
    ndots: ndotsOf(RES_OPTIONS) ?? ndots ?? 1,
  };
}

/** Reads the text of a resolv.conf: of `search` and `domain` the last one counts. Null where it does not say. */
export function parseResolvConf(text: string): { domains: string[] | null; ndots: number | null } {
  const lines = text
    .split('\n')
    .map((line) => /^(search|domain|options)\s+(.*)$/.exec(line.replace(/[#;].*/, '').trim()));
  const last = lines.findLast((line) => line?.[1] === 'search' || line?.[1] === 'domain');
  const options = lines.filter((line) => line?.[1] === 'options').map((line) => line?.[2]);
  return { domains: last?.[2] === undefined ? null : domainsOf(last[2]), ndots: ndotsOf(options.join(' ')) };
}

/** The root alone (`.`) completes nothing. */
function domainsOf(text: string): string[] {
  const words = text.split(/\s+/).map((word) => word.replace(/\.$/, ''));
  return words.filter((word) => word !== '');
}

function ndotsOf(options: string): number | null {
  const [, digits] = [...options.matchAll(/(?:^|\s)ndots:(\d+)(?!\S)/g)].at(-1) ?? [];
  return digits === undefined ? null : Math.min(Number(digits), MAX_NDOTS);
}

/** Where nothing names a domain, that of the machine's own name. */
function ownDomain(): string[] {
  return domainsOf(os.hostname().replace(/^[^.]*\.?/, ''));
}
