/** Options whose values may be secrets: no message repeats them. */
const SECRET = /^(-H|--header|-d|--data|--token)(=|$)|^-[Hd]./;
const HIDDEN = '***';

/**
 * What a message may say of the command line: user names and passwords of URLs and the values of secret options are
 * hidden, and control characters (also those that turn the direction of writing) are escaped. Line breaks stay.
 */
export function withoutSecrets(message: string, args: readonly string[]): string {
  let text = message;
  // The longest first: one argument may be a part of another.
  const shown = args.flatMap((arg, index) => wordsOf(arg, args[index - 1])).sort(([a], [b]) => b.length - a.length);
  for (const [word, instead] of shown) {
    for (const form of [word, JSON.stringify(word).slice(1, -1)]) text = text.replaceAll(form, instead);
  }
  return text.replace(/[^\S\n]|[\p{Cc}\p{Cf}\u2028\u2029]/gu, (one) => (/[ \n]/.test(one) ? one : escaped(one)));
}

/** The words of an argument that must not be repeated, and what stands in their place. */
function wordsOf(arg: string, before = ''): [string, string][] {
  if (SECRET.test(before) && !before.includes('=') && arg !== '') return [[arg, HIDDEN]];
  if (SECRET.test(arg)) {
    const value = arg.startsWith('--') ? arg.slice(arg.indexOf('=') + 1) : arg.slice(2);
    return arg === value || value === '' ? [] : [[value, HIDDEN]];
  }
  // Of `--server=URL` a message may repeat the URL alone.
  const value = arg.replace(/^--[^=]*=/, '');
  const [, scheme = '', rest = ''] = /^((?:[a-z][a-z0-9+.-]*:\/\/)?)(.*)$/is.exec(value) ?? [];
  // A password may hold any character; where no colon is in front of it, an @ belongs to the path.
  const userinfo = /^[^@]*:.*@/s.exec(rest)?.[0] ?? /^[^/?#]*@/.exec(rest)?.[0];
  return userinfo ? [[value, `${scheme}${HIDDEN}@${rest.slice(userinfo.length)}`]] : [];
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
