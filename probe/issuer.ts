import { X509Certificate } from 'node:crypto';

const KEPT = 16;
const rootsByPem = new Map<string, X509Certificate[]>();

/**
 * Who signed the leaf: the next certificate of the chain as sent, the leaf itself, or one of the user's own roots.
 * (A public root that signs a leaf directly is not looked for: the rules for public issuers forbid it.)
 */
export function issuerOf(leaf: X509Certificate | undefined, caPem: string | null): X509Certificate | undefined {
  if (!leaf) return undefined;
  if (leaf.issuerCertificate) return leaf.issuerCertificate;
  if (leaf.subject === leaf.issuer) return leaf;
  return caPem === null ? undefined : rootsOf(caPem).find((root) => leaf.checkIssued(root));
}

function rootsOf(caPem: string): X509Certificate[] {
  const known = rootsByPem.get(caPem);
  if (known) return known;
  const roots: X509Certificate[] = [];
  for (const [pem] of caPem.matchAll(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)) {
    try {
      roots.push(new X509Certificate(pem));
    } catch {
      // OpenSSL has left it out of the trusted roots too.
    }
  }
  if (rootsByPem.size >= KEPT) rootsByPem.clear();
  rootsByPem.set(caPem, roots);
  return roots;
}
