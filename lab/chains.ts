import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ocspResponse } from '#demo/ocsp.ts';
import { type Authority, createAuthority, type Issued, type IssueOptions, issue } from '#demo/pki.ts';
import { SERVER_ADDRESS } from './line.ts';

/** What is asked of the mint for a byte more: its names are a little shorter than it reckons. */
const BLOAT = 1.0146;

/** The lab's own root and intermediate. */
export type LabAuthority = { root: Authority; intermediate: Authority };

/** Files (PEM, DER) of one server certificate. `staple` is there where it was asked for. */
export type ChainFiles = { chain: string; key: string; staple: string | null };

export async function createLabAuthority(): Promise<LabAuthority> {
  const root = await createAuthority({ name: 'Lab root', key: 'ec' });
  return { root, intermediate: await createAuthority({ name: 'Lab intermediate', key: 'ec', parent: root }) };
}

/** Mints a chain of about so many bytes (DER of leaf and intermediate) and writes it below `folder`. */
export async function writeChain(
  folder: string,
  name: string,
  { intermediate }: LabAuthority,
  bytes: number,
  staple: boolean,
): Promise<ChainFiles> {
  const leaf = await leafOf(intermediate, bytes, staple);
  const files = { chain: path.join(folder, `${name}.pem`), key: path.join(folder, `${name}.key`) };
  await writeFile(files.chain, leaf.chainPem);
  await writeFile(files.key, leaf.keyPem);
  if (!staple) return { ...files, staple: null };
  const response = path.join(folder, `${name}.ocsp`);
  await writeFile(response, await ocspResponse(intermediate, leaf));
  return { ...files, staple: response };
}

async function leafOf(intermediate: Authority, bytes: number, staple: boolean): Promise<Issued> {
  const options: IssueOptions = {
    names: [SERVER_ADDRESS, 'lab.test'],
    key: 'ec',
    ...(staple ? { ocspUrl: 'http://ocsp.lab.test/' } : {}),
  };
  const plain = await issue(intermediate, options);
  const missing = bytes - derBytes(plain.chainPem);
  return missing <= 0 ? plain : issue(intermediate, { ...options, bloatBytes: missing * BLOAT });
}

/** Bytes of a PEM chain's certificates as they go over the wire. */
export function derBytes(pem: string): number {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+/g) ?? [];
  return blocks.reduce((sum, block) => sum + Buffer.from(block.replace(/-----[^-]+-----/, ''), 'base64').length, 0);
}
