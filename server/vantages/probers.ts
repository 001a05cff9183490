import { bearerSecret, hashSecret } from '#server/access/secrets.ts';
import { getPool } from '#server/database/database.ts';
import { TimedCache } from '#server/database/timed-cache.ts';
import { ServiceError } from '#server/environment/errors.ts';

/** A prober that showed its credential, and the vantages it may speak for. */
export type AuthenticatedProber = { id: string; vantageIds: string[] };

/**
 * Probers by the hash of their credential. One that is revoked through this process is refused at once (`forgetProbers`),
 * through another one when this has passed.
 */
export const PROBER_FRESH_MS = 30_000;
const probers = new TimedCache<AuthenticatedProber>('probers', { freshMs: PROBER_FRESH_MS, most: 10_000 });

/** For a caller that takes a vantage from its prober, once that is committed. */
export const forgetProbers = (): void => probers.forget();

/**
 * The prober of an `Authorization` header, as it was 30 s ago at the earliest. Throws `unauthorised` where the credential is
 * unknown, or has no vantage left: deleting its last vantage locks a prober out.
 */
export async function authenticateProber(header: string | null): Promise<AuthenticatedProber> {
  const secret = bearerSecret(header, 'rtp');
  if (!secret) throw unknownCredential();
  const hash = Buffer.from(hashSecret(secret));
  return await probers.get(hash.toString('base64url'), () => readProber(hash));
}

async function readProber(credentialHash: Buffer): Promise<AuthenticatedProber> {
  const { rows } = await getPool().query<AuthenticatedProber>(
    `select p.id, array_agg(v.id::text order by v.id) as "vantageIds"
      from prober p join vantage v on v.prober_id = p.id and v.deleted_at is null
      where p.credential_hash = $1 group by p.id`,
    [credentialHash],
  );
  const [prober] = rows;
  if (!prober) throw unknownCredential();
  return prober;
}

const unknownCredential = () =>
  new ServiceError('unauthorised', 'The credential of this prober is unknown or was revoked: enrol it again.');
