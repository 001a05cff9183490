import { z } from 'zod';
import { parseResolver } from './resolver.ts';
import type { ProbeSettings } from './target.ts';

/** What is wrong with a setting: its JSON path below `settings`, and the rest of a sentence that begins with it. */
export type SettingProblem = { field: string; message: string };

/**
 * What the schema of each single setting cannot see, for whoever takes settings in: values that no probe could be made
 * with, and combinations that could never succeed.
 */
export function settingProblems(settings: ProbeSettings): SettingProblem[] {
  return [
    ...resolverProblems(settings),
    ...nameProblems(settings),
    ...statusProblems(settings),
    ...textProblems(settings),
  ];
}

const IpAddress = z.union([z.ipv4(), z.ipv6()]);

function resolverProblems({ resolver }: ProbeSettings): SettingProblem[] {
  if (resolver === null) return [];
  const parsed = parseResolver(resolver);
  if (parsed && IpAddress.safeParse(parsed.address).success) return [];
  return [
    { field: 'resolver', message: 'must be ADDRESS, ADDRESS:PORT or [ADDRESS]:PORT with a port from 1 to 65535' },
  ];
}

const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i;

/** A host name in the letters of DNS (IDNs in punycode); an address stands for "no name is sent". */
function nameProblems({ sni }: ProbeSettings): SettingProblem[] {
  if (sni === null || IpAddress.safeParse(sni).success) return [];
  if (
    sni
      .replace(/\.$/, '')
      .split('.')
      .every((label) => LABEL.test(label))
  )
    return [];
  return [{ field: 'sni', message: 'must be a host name, such as www.example.org (an IDN in punycode)' }];
}

function statusProblems({ expect: { status } }: ProbeSettings): SettingProblem[] {
  return status.flatMap((entry, index) => {
    const [least = 0, most = least] = entry.split('-').map(Number);
    return most < least
      ? [{ field: `expect.status.${index}`, message: `is a range that ends before it begins (${entry})` }]
      : [];
  });
}

/** An answer to HEAD has no body, so a text in it would be missed every time. */
function textProblems({ expect, request }: ProbeSettings): SettingProblem[] {
  if (request.method !== 'HEAD' || expect.bodyContains === null) return [];
  return [{ field: 'expect.bodyContains', message: 'can never be found: an answer to HEAD has no body' }];
}
