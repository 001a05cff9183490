import { IpAddress } from './resolver.ts';
import type { ProbeSettings } from './target.ts';

/** What is wrong with a setting: its JSON path below `settings`, and the rest of a sentence that begins with it. */
export type SettingProblem = { field: string; message: string };

/**
 * What the schema of each single setting cannot see, for every caller that accepts settings: values that no probe could be made
 * with, and combinations that could never succeed.
 */
export function settingProblems(settings: ProbeSettings): SettingProblem[] {
  return [nameProblems, familyProblems, alpnProblems, statusProblems, textProblems, codingProblems].flatMap((find) =>
    find(settings),
  );
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

/** A fixed address of the other family would be refused by every probe. */
function familyProblems({ address, family }: ProbeSettings): SettingProblem[] {
  if (address === null || family === null || address.includes(':') === (family === 6)) return [];
  return [{ field: 'address', message: `must be an IPv${family} address, as family requires` }];
}

function alpnProblems({ alpn }: ProbeSettings): SettingProblem[] {
  const twice = alpn.findIndex((name, index) => alpn.indexOf(name) < index);
  return twice < 0 ? [] : [{ field: `alpn.${twice}`, message: `is a duplicate (${alpn[twice]})` }];
}

function statusProblems({ expect: { status } }: ProbeSettings): SettingProblem[] {
  return status.flatMap((entry, index) => {
    const [least = 0, most = least] = entry.split('-').map(Number);
    return most < least
      ? [{ field: `expect.status.${index}`, message: `is a range whose end is before its start (${entry})` }]
      : [];
  });
}

/** Texts are looked for in the body as it came. */
function codingProblems({ compression, expect: { bodyContains, bodyLacks } }: ProbeSettings): SettingProblem[] {
  if (!compression || (bodyContains === null && bodyLacks === null)) return [];
  return [{ field: 'compression', message: 'cannot be combined with checks of the text: it would be compressed' }];
}

/** A response to HEAD has no body, so the check would always fail. */
function textProblems({ expect, request }: ProbeSettings): SettingProblem[] {
  if (request.method !== 'HEAD' || expect.bodyContains === null) return [];
  return [{ field: 'expect.bodyContains', message: 'cannot be checked: a response to HEAD has no body' }];
}
