/** Set by proxy.ts on every request for a page: its path and query, as the reader's browser shows them. */
export const PATH_HEADER = 'x-roundtrip-path';

const HERE = 'http://here.invalid';

/**
 * A path of this server with its query, or `/` for anything else: a login must not send anybody elsewhere. Browsers read
 * `\` as `/` and leave control characters out, and `/.//` is `//`.
 */
export function localPath(next: string | null | undefined): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be in it
  if (!next?.startsWith('/') || /[\\\u0000-\u0020\u007f]/.test(next)) return '/';
  const url = URL.parse(next, HERE);
  if (url?.origin !== HERE || url.pathname.startsWith('//')) return '/';
  return `${url.pathname}${url.search}${url.hash}`;
}
