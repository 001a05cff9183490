import { type Certificate, SentChain } from '#contract/certificate.ts';
import { getPool, openDatabase } from '#server/database/database.ts';
import { stringsOf } from '#server/database/dictionary.ts';

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

// Beyond either the cache is emptied. A certificate may name 1,000 hosts.
const MAX_CACHED = 50_000;
const MAX_CACHED_NAMES = 500_000;
type Cache = { bySha256: Map<string, KnownCertificate>; byId: Map<number, KnownCertificate>; names: number };
const caches = new WeakMap<object, Cache>();

function cacheHere(): Cache {
  const database = openDatabase();
  const found = caches.get(database);
  if (found && found.byId.size < MAX_CACHED && found.names < MAX_CACHED_NAMES) return found;
  const fresh: Cache = { bySha256: new Map(), byId: new Map(), names: 0 };
  caches.set(database, fresh);
  return fresh;
}

const COLUMNS = `id, sha256, subject, issuer, not_before as "notBefore", not_after as "notAfter", key_type as "keyType",
  key_bits as "keyBits", names, must_staple as "mustStaple", ocsp_url as "ocspUrl"`;

/** Certificates this process knows, by fingerprint. */
export function knownCertificates(): ReadonlyMap<string, KnownCertificate> {
  return cacheHere().bySha256;
}

/** Those of these certificates, by fingerprint, that are stored. */
export async function findCertificates(sha256: Iterable<string>): Promise<Map<string, KnownCertificate>> {
  const hashes = Array.from(sha256, (hex) => Buffer.from(hex, 'hex'));
  const found = await load('sha256 = any($1::bytea[])', [hashes]);
  return new Map(found.map((certificate) => [certificate.sha256, certificate]));
}

/**
 * Stores certificates in one statement and gives what is stored of each. The first observer's words stay; see
 * `sameIdentity` for those that differ.
 */
export async function addCertificates(certificates: CertificateIdentity[]): Promise<Map<string, KnownCertificate>> {
  // As JSON, since PostgreSQL has no list of lists of different lengths, which `names` are.
  await getPool().query(
    `insert into certificate
        (sha256, subject, issuer, not_before, not_after, key_type, key_bits, names, must_staple, ocsp_url)
      select decode(sha256, 'hex'), subject, issuer, "notBefore", "notAfter", "keyType", "keyBits", names, "mustStaple",
        "ocspUrl"
      from jsonb_to_recordset($1::jsonb) as new (sha256 text, subject text, issuer text, "notBefore" timestamptz,
        "notAfter" timestamptz, "keyType" text, "keyBits" int, names text[], "mustStaple" boolean, "ocspUrl" text)
      order by sha256 on conflict (sha256) do nothing`,
    [JSON.stringify(certificates)],
  );
  return findCertificates(certificates.map(({ sha256 }) => sha256));
}

/** Certificates by id. */
export async function certificatesOf(ids: Set<number>): Promise<ReadonlyMap<number, KnownCertificate>> {
  const { byId } = cacheHere();
  const missing = [...ids].filter((id) => !byId.has(id));
  if (missing.length > 0) await load('id = any($1::int[])', [missing]);
  return byId;
}

/** The intermediates that end before their leaf, by the id that their chain has in the dictionary. */
export async function endingFirst(chains: Set<number>): Promise<Map<number, SentChain['certificates']>> {
  const texts = await stringsOf(chains);
  return new Map(
    Array.from(chains, (id) => {
      const chain = SentChain.nullable().safeParse(JSON.parse(texts.get(id) ?? 'null'));
      return [id, chain.data?.certificates.filter(({ endsFirst }) => endsFirst) ?? []];
    }),
  );
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

async function load(condition: string, parameters: unknown[]): Promise<KnownCertificate[]> {
  const cache = cacheHere();
  const { rows } = await getPool().query<Row>(`select ${COLUMNS} from certificate where ${condition}`, parameters);
  return rows.map((row) => {
    const certificate: KnownCertificate = {
      ...row,
      sha256: row.sha256.toString('hex'),
      notBefore: row.notBefore?.toISOString() ?? null,
      notAfter: row.notAfter?.toISOString() ?? null,
    };
    if (!cache.byId.has(certificate.id)) cache.names += certificate.names.length;
    cache.bySha256.set(certificate.sha256, certificate);
    cache.byId.set(certificate.id, certificate);
    return certificate;
  });
}
