import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';

/** Files that options name. Each gives the file's text, or throws a sentence that says why it is of no use. */

const STANDARD_INPUT = 0;

/** A file as it is; `-` is standard input. */
export function readBytes(path: string): Buffer {
  try {
    return readFileSync(path === '-' ? STANDARD_INPUT : path);
  } catch (error) {
    throw new InvalidArgumentError(`It cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

/** A file of text in UTF-8; `-` is standard input. */
export function readFile(path: string): string {
  const bytes = readBytes(path);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new InvalidArgumentError('The file is not UTF-8 text.');
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+?-----END [A-Z ]*PRIVATE KEY-----/;

/** Trusted roots: a file in which at least one certificate can be read. */
export function caFile(path: string): string {
  const pem = readFile(path);
  const blocks = pem.match(CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new InvalidArgumentError('The file contains no PEM certificate.');
  if (blocks.some(isCertificate)) return pem;
  throw new InvalidArgumentError('No certificate in the file can be read.');
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

/** A client's certificate with its chain; its key may stand in the same file, as curl allows. */
export function certificateFile(path: string): { certPem: string; keyPem: string | null } {
  const pem = readFile(path);
  const blocks = pem.match(CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new InvalidArgumentError('The file contains no PEM certificate.');
  return { certPem: `${blocks.join('\n')}\n`, keyPem: KEY.exec(pem)?.[0] ?? null };
}

export function keyFile(path: string): string {
  const [key] = KEY.exec(readFile(path)) ?? [];
  if (key !== undefined) return key;
  throw new InvalidArgumentError('The file contains no PEM private key.');
}

/** The API key of a server, as it came from there. */
export function apiKeyFile(path: string): string {
  const key = readFile(path).trim();
  if (isApiKey(key)) return key;
  throw new InvalidArgumentError('The file contains no API key: one begins with rt_.');
}

/** Whether a header can carry it: what is wrong with it otherwise would be told with the key itself. */
export const isApiKey = (text: string): boolean => /^rt_[\x21-\x7e]{1,200}$/.test(text);
