import { X509Certificate } from 'node:crypto';
import { invalidField } from '#server/environment/errors.ts';

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Refuses `caPem` that holds no certificate, or a broken one: every probe would fail by it. Throws `invalid`. */
export function refuseBrokenRoots(caPem: string | null): void {
  if (caPem === null) return;
  const blocks = caPem.match(BLOCK) ?? [];
  if (blocks.length === 0) throw refusal('holds no certificate in PEM');
  blocks.forEach((block, index) => {
    try {
      new X509Certificate(block);
    } catch {
      throw refusal(`cannot be read: certificate ${index + 1} is broken`);
    }
  });
}

const refusal = (message: string) => invalidField('settings.caPem', message);
