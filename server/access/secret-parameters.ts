import querystring from 'node:querystring';
import type { Finding } from '#contract/result.ts';
import { isSecretName, MASK } from '#contract/target-secrets.ts';
import { environment } from '#server/environment/environment.ts';
import { invalidField } from '#server/environment/errors.ts';

/** Words that make a parameter secret, beside what makes a header so: `token`, `secret`, `passw`, `session`, `key`, `auth` ... */
const SECRET_WORDS = [
  ...['sig', 'sign', 'hmac', 'pass', 'passcode', 'passphrase', 'pwd', 'otp', 'jwt', 'authorization', 'csrf', 'xsrf'],
  ...['sid', 'phpsessid', 'ticket', 'appkey', 'accesskey', 'authkey'],
  ...['login-code', 'device-code', 'user-code', 'invite-code', 'verification-code'],
];
/** A name that is secret as a whole: `country_code` and `zip_code` are not. */
const SECRET_ALONE = '-code-';

/** Between the words of `accessToken`, `HTTPSig` and `key2`. */
const BETWEEN_WORDS = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})/gu;

/**
 * The words of a name with hyphens around and between: those of `access_token` and `access[token]` are `-access-token-`. Tabs and line
 * breaks are left out, as URLs are parsed without them.
 */
const wordsOf = (name: string) =>
  `-${name.replace(/[\t\r\n]/g, '').replace(BETWEEN_WORDS, '-')}-`.replace(/[^\p{L}\p{N}]+/gu, '-').toLowerCase();

function isSecretParameter(name: string): boolean {
  const words = wordsOf(decoded(name));
  if (words === SECRET_ALONE || isSecretName(words)) return true;
  if (SECRET_WORDS.some((secret) => words.includes(`-${secret}-`))) return true;
  return environment().ROUNDTRIP_SECRET_PARAMETERS.some((secret) => words.includes(wordsOf(secret)));
}

/** So often a value is decoded: a redirect that quotes another one encodes it once more. */
const MOST_DECODED = 8;

/** A text without its encodings; what is no encoding stays as it is. */
function decoded(text: string, times = MOST_DECODED): string {
  const plain = querystring.unescape(text);
  return plain === text || times === 1 ? plain : decoded(plain, times - 1);
}

/** The parameters of a URL's query and fragment; of URLs within a text, where white space and quotes end a value. */
const OF_URL = /(?<=[?&#;])([^?&#;=]+)=([^&#]*)/g;
const IN_TEXT = /(?<=[?&#;])([^?&#;=\s"<>]+)=([^&#\s"<>]*)/g;
/** Names within what is decoded: of parameters, and those of JSON. */
const NAME = /(?<=[?&#;])[^?&#;=]+(?==)|(?<=["'])[^"'\\]+(?=\\*["']\s*:)/g;

/** What a URL is made of besides: the parts of its path, and of a query that is JSON. */
const PART_OF_URL = /[^/?&#;]+/g;
const PART_IN_TEXT = /[^/?&#;\s"<>]+/g;

const masked = (text: string, parameters: RegExp, parts: RegExp) =>
  text
    .replace(parameters, (whole, name: string, value: string) =>
      // A value may be a query without its question mark.
      isSecretParameter(name) || holdsSecret(`?${value}`) ? `${name}=${MASK}` : whole,
    )
    .replace(parts, (part) => (holdsSecret(part) ? MASK : part));

/** As in `?next=/home%3Ftoken=...`, `/login/%2Fhome%3Ftoken=...` and `?q={"token":...}`: redirects like to repeat an address. */
const holdsSecret = (text: string) => decoded(text).match(NAME)?.some(isSecretParameter) ?? false;

/** A URL, whole or relative, as callers who may not write see it: without user name, password and secret parameters. */
export const shownUrl = (url: string): string =>
  masked(url.replace(/^([a-z][a-z\d+.-]*:)?[\\/]{2}[^/?#]*@/i, `$1//${MASK}@`), OF_URL, PART_OF_URL);

/** A text with the URLs in it as `shownUrl` has them. */
export const shownText = (text: string): string =>
  masked(text.replace(/(?<=:\/\/)[^\s/?#"<>]*@/g, `${MASK}@`), IN_TEXT, PART_IN_TEXT);

/** A finding as `shownText` has its evidence and values: findings quote what a server sent. */
export function shownFinding(finding: Finding): Finding {
  const { evidence, values } = finding;
  const shown = Object.entries(values ?? {}).map(([name, value]) => [
    name,
    typeof value === 'string' ? shownText(value) : value,
  ]);
  return { ...finding, evidence: shownText(evidence), ...(values ? { values: Object.fromEntries(shown) } : {}) };
}

/** A URL to be stored: the stored one where its mask was given back. Throws `invalid` for any other with a mask in it. */
export function unmaskedUrl(given: string, stored: string | null): string {
  if (stored !== null && (given === stored || given === shownUrl(stored))) return stored;
  if (/[=/?&#;](\*|%2a){3}(?=[/?&#;]|$)/i.test(given))
    throw invalidField('url', `holds the mask of a value (${MASK}): give the value itself where the URL changes`);
  return given;
}
