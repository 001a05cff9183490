import type { Pool } from 'pg';
import type { Certificate } from '#contract/certificate.ts';
import { getPool } from './database.ts';
import { storable } from './dictionary.ts';

/** What cannot differ between two observations of one certificate; stored once. */
export type CertificateIdentity = Pick<
  Certificate,
  | 'sha256'
  | 'subject'
  | 'issuer'
  | 'notBefore'
  | 'notAfter'
  | 'keyType'
  | 'keyBits'
  | 'names'
  | 'mustStaple'
  | 'ocspUrl'
>;
export type KnownCertificate = CertificateIdentity & { id: number };

type Row = Omit<KnownCertificate, 'sha256' | 'notBefore' | 'notAfter'> & {
  sha256: Buffer;
  notBefore: Date | null;
  notAfter: Date | null;
};

const MAX_CACHED = 50_000;
type Cache = { bySha256: Map<string, KnownCertificate>; byId: Map<number, KnownCertificate> };
const caches = new WeakMap<Pool, Cache>();

function cacheOf(pool: Pool): Cache {
  const found = caches.get(pool);
  if (found && found.byId.size < MAX_CACHED) return found;
  const fresh = { bySha256: new Map(), byId: new Map() };
  caches.set(pool, fresh);
  return fresh;
}

const COLUMNS = `id, sha256, subject, issuer, not_before as "notBefore", not_after as "notAfter", key_type as "keyType",
  key_bits as "keyBits", names, must_staple as "mustStaple", ocsp_url as "ocspUrl"`;

/** Certificates this process knows, by fingerprint. */
export function knownCertificates(): ReadonlyMap<string, KnownCertificate> {
  return cacheOf(getPool()).bySha256;
}

/** Stores certificates not stored yet. The first observer's words stay; see `sameIdentity` for those that differ. */
export async function learnCertificates(certificates: Map<string, CertificateIdentity>): Promise<void> {
  const ordered = [...certificates.values()].sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
  for (const certificate of ordered) await insert(certificate);
  await load('sha256 = any($1::bytea[])', [ordered.map(({ sha256 }) => Buffer.from(sha256, 'hex'))]);
}

/** Certificates by id. */
export async function certificatesOf(ids: Set<number>): Promise<ReadonlyMap<number, KnownCertificate>> {
  const { byId } = cacheOf(getPool());
  const missing = [...ids].filter((id) => !byId.has(id));
  if (missing.length > 0) await load('id = any($1::int[])', [missing]);
  return byId;
}

/** Whether an observation says the same about the certificate as what is stored. */
export function sameIdentity(a: CertificateIdentity, b: CertificateIdentity): boolean {
  return (
    a.subject === b.subject &&
    a.issuer === b.issuer &&
    a.notBefore === b.notBefore &&
    a.notAfter === b.notAfter &&
    a.keyType === b.keyType &&
    a.keyBits === b.keyBits &&
    a.mustStaple === b.mustStaple &&
    a.ocspUrl === b.ocspUrl &&
    a.names.length === b.names.length &&
    a.names.every((name, index) => name === b.names[index])
  );
}

async function insert(certificate: CertificateIdentity): Promise<void> {
  const { sha256, subject, issuer, notBefore, notAfter, keyType, keyBits, names, mustStaple, ocspUrl } = certificate;
  await getPool().query(
    `insert into certificate
        (sha256, subject, issuer, not_before, not_after, key_type, key_bits, names, must_staple, ocsp_url)
      select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 where not exists (select from certificate where sha256 = $1)
      on conflict (sha256) do nothing`,
    [
      Buffer.from(sha256, 'hex'),
      storable(subject),
      storable(issuer),
      notBefore,
      notAfter,
      storable(keyType),
      keyBits,
      names.map(storable),
      mustStaple,
      ocspUrl === null ? null : storable(ocspUrl),
    ],
  );
}

async function load(condition: string, parameters: unknown[]): Promise<void> {
  const pool = getPool();
  const cache = cacheOf(pool);
  const { rows } = await pool.query<Row>(`select ${COLUMNS} from certificate where ${condition}`, parameters);
  for (const row of rows) {
    const certificate: KnownCertificate = {
      ...row,
      sha256: row.sha256.toString('hex'),
      notBefore: row.notBefore?.toISOString() ?? null,
      notAfter: row.notAfter?.toISOString() ?? null,
    };
    cache.bySha256.set(certificate.sha256, certificate);
    cache.byId.set(certificate.id, certificate);
  }
}
