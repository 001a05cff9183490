import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/**
 * A name as Node writes it behind the word for its kind: one that holds a comma, a quote or a control character as a JSON
 * string, all others as they are. The escapes stay, so that a NUL or a line break in a name is seen and breaks nothing.
 */
const ALTERNATIVE_NAME = /(?:^|, )([^:,"]+):(?:"((?:[^"\\]|\\.)*)"|([^,]*))/g;

/** The names, or the addresses, of hosts that the certificate is for. Mail addresses, URIs and others are no hosts. */
function alternatives({ subjectAltName = '' }: X509Certificate, kinds: readonly string[]): string[] {
  const found = [...subjectAltName.matchAll(ALTERNATIVE_NAME)].filter(([, kind = '']) => kinds.includes(kind));
  return found.map(([, , quoted, plain]) => quoted ?? plain ?? '');
}

/** All hosts that the certificate is for, names and addresses in its order. */
export function hostsOf(certificate: X509Certificate): string[] {
  return alternatives(certificate, ['DNS', 'IP Address']);
}

/**
 * The name in the certificate that stands for `host`, a name or an address; null where none does. As browsers judge (RFC
 * 9525): not the subject's name, and a wildcard is a whole label, whatever characters are in that of the host.
 */
export function nameFor(certificate: X509Certificate, host: string): string | null {
  if (isIP(host) !== 0) return certificate.checkIP(host) ?? null;
  const wanted = host.toLowerCase();
  const wildcard = wanted.replace(/^[^.]+(?=\.[^.]+\.)/, '*');
  const standsForIt = (name: string) => [wanted, wildcard].includes(name.toLowerCase());
  return alternatives(certificate, ['DNS']).find(standsForIt) ?? null;
}
