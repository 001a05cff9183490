import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ocspResponse } from '#demo/ocsp.ts';
import { type Authority, createAuthority, type Issued, type IssueOptions, issue, type KeyKind } from '#demo/pki.ts';
import { SERVER_ADDRESS } from './emulated-path.ts';

/** What is asked of the mint for a byte more: its names are a little shorter than it reckons. */
const BLOAT = 1.0146;

/** The lab's own root, and an intermediate for each kind of key. */
export type LabAuthority = { root: Authority; ec: Authority; rsa: Authority };

/** `ocsp`: the leaf names a responder, and a response of it is written too. */
export type ChainOrder = { bytes: number; ocsp: boolean; key: KeyKind };

/** Files (PEM, DER) of one server certificate. `staple` is there where the leaf names a responder. */
export type ChainFiles = { chain: string; key: string; staple: string | null };

export async function createLabAuthority(): Promise<LabAuthority> {
  const root = await createAuthority({ name: 'Lab root', key: 'ec' });
  const intermediate = (key: 'ec' | 'rsa') => createAuthority({ name: `Lab intermediate ${key}`, key, parent: root });
  return { root, ec: await intermediate('ec'), rsa: await intermediate('rsa') };
}

/** Mints a chain of about so many bytes (DER of leaf and intermediate) and writes it below `folder`. */
export async function writeChain(
  folder: string,
  name: string,
  authority: LabAuthority,
  order: ChainOrder,
): Promise<ChainFiles> {
  const intermediate = order.key === 'ec' ? authority.ec : authority.rsa;
  const leaf = await leafOf(intermediate, order);
  const files = { chain: path.join(folder, `${name}.pem`), key: path.join(folder, `${name}.key`) };
  await writeFile(files.chain, leaf.chainPem);
  await writeFile(files.key, leaf.keyPem);
  if (!order.ocsp) return { ...files, staple: null };
  const response = path.join(folder, `${name}.ocsp`);
  await writeFile(response, await ocspResponse(intermediate, leaf));
  return { ...files, staple: response };
}

async function leafOf(intermediate: Authority, { bytes, ocsp, key }: ChainOrder): Promise<Issued> {
  const options: IssueOptions = {
    names: [SERVER_ADDRESS, 'lab.test'],
    key,
    ...(ocsp ? { ocspUrl: 'http://ocsp.lab.test/' } : {}),
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
