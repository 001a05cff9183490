import { v7 as uuid } from 'uuid';
import type { EnrolRequest, EnrolResponse } from '#contract/ingest.ts';
import type { Enrolment, EnrolmentCreate, EnrolmentRenew } from '#contract/vantage.ts';
import type { Prisma, Vantage as VantageRow } from '#prisma/generated/client.ts';
import { hashSecret, mintSecret } from '#server/access/secrets.ts';
import { getPrisma } from '#server/database/database.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { syncChecks } from '#server/targets/checks.ts';
import { forgetProbers } from './probers.ts';
import { getVantage, presentVantage, presentVantageRef } from './vantages.ts';

/** A vantage to be made. */
export type NewVantage = Omit<EnrolmentCreate, 'expiresInSeconds' | 'mayHoldSecrets'> & { mayHoldSecrets?: boolean };
/** One token for one prober that will serve all of `vantages`; it is shown this once. */
export type SharedEnrolment = { token: string; expiresAt: Date; vantages: VantageRow[] };

const DAY_SECONDS = 86_400;

/** Makes a vantage and a one-time token for its prober. */
export async function createEnrolment({ expiresInSeconds, ...vantage }: EnrolmentCreate): Promise<Enrolment> {
  const { token, expiresAt, vantages } = await enrolVantages([vantage], { expiresInSeconds });
  const [row] = vantages;
  if (!row) throw new Error('no vantage was made');
  return { token, expiresAt: expiresAt.toISOString(), vantage: presentVantage({ ...row, prober: null }) };
}

/** Makes several vantages and one token for the one prober that serves them all (this machine's, the demo's). */
export async function enrolVantages(
  inputs: NewVantage[],
  { demo = false, expiresInSeconds = DAY_SECONDS } = {},
): Promise<SharedEnrolment> {
  const data = inputs.map(({ country, ...input }) => ({
    ...input,
    country: country ?? input.region.slice(0, 2),
    id: uuid(),
    demo,
  }));
  return getPrisma().$transaction(async (tx) => {
    const vantages = await tx.vantage.createManyAndReturn({ data });
    const ids = vantages.map((vantage) => vantage.id);
    const token = await mintToken(tx, ids, expiresInSeconds);
    await syncChecks(tx, { vantageIds: ids });
    return { ...token, vantages };
  });
}

/**
 * A new one-time token for a vantage; its prober keeps it until somebody exchanges the token. `allow` is told whether the vantage may
 * hold secrets, and throws what refuses the token. Throws `not_found`.
 */
export async function renewEnrolment(
  id: string,
  options: EnrolmentRenew,
  allow?: (mayHoldSecrets: boolean) => void,
): Promise<Enrolment> {
  const vantage = await getVantage(id);
  if (vantage.imported) throw new ServiceError('conflict', 'An imported vantage has no prober: add a vantage for one.');
  const { token, expiresAt } = await reenrolVantages([vantage.id], options, allow);
  return { token, expiresAt: expiresAt.toISOString(), vantage };
}

/** A new token for vantages that are there: the prober that exchanges it takes them over from their prober. */
export async function reenrolVantages(
  vantageIds: string[],
  { expiresInSeconds = DAY_SECONDS } = {},
  allow?: (mayHoldSecrets: boolean) => void,
): Promise<{ token: string; expiresAt: Date }> {
  return getPrisma().$transaction(async (tx) => {
    // One that is being marked just now counts as marked, or ends this token.
    const rows = await tx.$queryRaw<{ marked: boolean }[]>`
      select may_hold_secrets as marked from vantage where id = any(${vantageIds}::uuid[]) for update`;
    allow?.(rows.some(({ marked }) => marked));
    await tx.enrolment.deleteMany({ where: { vantageId: { in: vantageIds }, usedAt: null } });
    return mintToken(tx, vantageIds, expiresInSeconds);
  });
}

async function mintToken(tx: Prisma.TransactionClient, vantageIds: string[], seconds: number) {
  const token = mintSecret('rte');
  const tokenHash = hashSecret(token);
  const expiresAt = new Date(Date.now() + seconds * 1_000);
  await tx.enrolment.createMany({
    data: vantageIds.map((vantageId) => ({ id: uuid(), tokenHash, vantageId, expiresAt })),
  });
  return { token, expiresAt };
}

/**
 * Exchanges a token for a prober's credential and binds the token's vantages to it. Of two that race one wins. A prober
 * that sent the hash of a credential of its own may ask again, with the same token and hash, when the answer got lost.
 * Throws `unauthorised` for a token that is unknown, used (by another credential) or expired.
 */
export async function exchangeToken(request: EnrolRequest): Promise<EnrolResponse> {
  const credential = request.credentialHash === undefined ? mintSecret('rtp') : undefined;
  const credentialHash = credential === undefined ? ownHash(request) : hashSecret(credential);
  const tokenHash = hashSecret(request.token);
  const response = await getPrisma().$transaction(async (tx) => {
    const now = new Date();
    const used = await tx.enrolment.updateManyAndReturn({
      where: { tokenHash, usedAt: null, expiresAt: { gt: now }, vantage: { deletedAt: null } },
      data: { usedAt: now },
    });
    if (used.length === 0) return await answerAgain(tx, tokenHash, credential === undefined ? credentialHash : null);
    const { engineVersion, host } = request;
    const prober = await tx.prober.create({
      data: { id: uuid(), credentialHash, engineVersion, host, lastSeenAt: now },
    });
    const vantages = await tx.vantage.updateManyAndReturn({
      where: { id: { in: used.map((row) => row.vantageId) }, deletedAt: null },
      data: { proberId: prober.id },
    });
    return {
      proberId: prober.id,
      ...(credential === undefined ? {} : { credential }),
      vantages: vantages.map(presentVantageRef),
    };
  });
  forgetProbers(); // the vantages may have been another prober's
  return response;
}

const ownHash = ({ credentialHash = '' }: EnrolRequest) => Uint8Array.from(Buffer.from(credentialHash, 'hex'));

/** The answer that this token and hash got before, while the prober still serves one of the token's vantages. */
async function answerAgain(
  tx: Prisma.TransactionClient,
  tokenHash: Uint8Array<ArrayBuffer>,
  credentialHash: Uint8Array<ArrayBuffer> | null,
): Promise<EnrolResponse> {
  const prober = credentialHash && (await tx.prober.findUnique({ where: { credentialHash } }));
  if (!prober) throw refusal();
  const rows = await tx.enrolment.findMany({
    where: { tokenHash, usedAt: { not: null }, vantage: { proberId: prober.id, deletedAt: null } },
    include: { vantage: true },
  });
  if (rows.length === 0) throw refusal();
  return { proberId: prober.id, vantages: rows.map(({ vantage }) => presentVantageRef(vantage)) };
}

const refusal = () =>
  new ServiceError('unauthorised', 'token is unknown, used or expired: make a new one', [
    { field: 'token', message: 'is unknown, used or expired' },
  ]);
