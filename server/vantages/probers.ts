import type { Prober } from '#prisma/generated/client.ts';
import { bearerSecret, hashSecret } from '#server/access/secrets.ts';
import { getPrisma } from '#server/database/database.ts';
import { ServiceError } from '#server/environment/errors.ts';

/** A prober that showed its credential, and the vantages it may speak for. */
export type AuthenticatedProber = { id: string; vantageIds: string[] };

/**
 * The prober of an `Authorization` header. Throws `unauthorised` where the credential is unknown, or has no vantage
 * left: deleting its last vantage locks a prober out.
 */
export async function authenticateProber(header: string | null): Promise<AuthenticatedProber> {
  const secret = bearerSecret(header, 'rtp');
  const row = secret
    ? await getPrisma().prober.findUnique({
        where: { credentialHash: hashSecret(secret) },
        select: { id: true, vantages: { where: { deletedAt: null }, select: { id: true }, orderBy: { id: 'asc' } } },
      })
    : null;
  if (!row || row.vantages.length === 0) {
    throw new ServiceError('unauthorised', 'The credential of this prober is unknown or was revoked: enrol it anew.');
  }
  return { id: row.id, vantageIds: row.vantages.map((vantage) => vantage.id) };
}

/** Notes that a prober was heard; `sentAt` is its clock when it spoke, and tells its skew (its clock minus ours, ms). */
export async function noteContact(proberId: Prober['id'], sentAt?: string): Promise<void> {
  const now = new Date();
  const skew = sentAt === undefined ? {} : { clockSkewMs: Date.parse(sentAt) - now.getTime() };
  await getPrisma().prober.updateMany({ where: { id: proberId }, data: { lastSeenAt: now, ...skew } });
}
