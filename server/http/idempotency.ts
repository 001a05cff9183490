import { createHmac } from 'node:crypto';
import { IDEMPOTENCY_HOURS, IdempotencyHeaders, type Operation } from '#contract/operation.ts';
import { credentialOf } from '#server/access/access.ts';
import { keyFrom, seal, unseal } from '#server/access/sealing.ts';
import { hashSecret } from '#server/access/secrets.ts';
import { getPrisma, together } from '#server/database/database.ts';
import { isLockHeld } from '#server/database/faults.ts';
import { lock } from '#server/database/lock.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { oneAtATime } from './conditional.ts';
import { parsePart } from './parse.ts';

// `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): who does not know whether a request succeeded sends it again, and makes
// nothing twice. The answer is stored in the transaction of what it is about, encrypted under the caller's own credential, of which the
// database has but the hash: it may hold a new key or token. What failed is rolled back with its key, and may be tried again.

type Asked = { request: Request; params: unknown; query: unknown; body: unknown };
type Answered = { status: number; headers: [string, string][]; body: string };

const earliest = () => new Date(Date.now() - IDEMPOTENCY_HOURS * 3_600_000);

/**
 * The answer that `make` gives, or where its `Idempotency-Key` has been used what the first was answered. Throws `key_reused` where that was
 * another request, and `conflict` while another process takes long to answer it.
 */
export async function answerOnce(
  { id: operation }: Operation,
  { request, params, query, body: sent }: Asked,
  make: () => Promise<Response>,
): Promise<Response> {
  const header = { 'Idempotency-Key': request.headers.get('idempotency-key') ?? undefined };
  const { 'Idempotency-Key': key } = parsePart(IdempotencyHeaders, header, 'headers');
  if (key === undefined) return await make();
  const credential = credentialOf(request);
  const owner = hashSecret(credential);
  const input = JSON.stringify([operation, params, query, sent]);
  const fingerprint = Uint8Array.from(createHmac('sha256', credential).update(input).digest());
  const sealing = keyFrom(credential, 'answers');
  const answer = async () => {
    await lock(getPrisma(), 'idempotency', `${Buffer.from(owner).toString('hex')} ${key}`).catch(refuseUnderWay);
    const where = { owner_key: { owner, key } };
    const made = await getPrisma().idempotency.findUnique({ where });
    if (made && made.createdAt > earliest()) {
      if (Buffer.compare(made.fingerprint, fingerprint) !== 0) throw reused();
      const { status, headers, body }: Answered = JSON.parse(unseal(made.answer, sealing));
      return new Response(body, { status, headers: [...headers, ['idempotency-replayed', 'true']] });
    }
    const response = await make();
    const answered: Answered = { status: response.status, headers: [...response.headers], body: await response.text() };
    const data = { owner, key, fingerprint, answer: seal(JSON.stringify(answered), sealing), createdAt: new Date() };
    await getPrisma().idempotency.upsert({ where, create: data, update: data });
    return new Response(answered.body, answered);
  };
  return await oneAtATime(() => together(answer));
}

function refuseUnderWay(error: unknown): never {
  if (!isLockHeld(error)) throw error;
  throw new ServiceError('conflict', 'The first request with this Idempotency-Key is under way: try again.', [], 1);
}

const reused = () =>
  new ServiceError('key_reused', 'This Idempotency-Key was used with another body.', [
    { field: 'Idempotency-Key', message: `was used with another body within ${IDEMPOTENCY_HOURS} hours` },
  ]);

/** Deletes answers that nobody can ask for any more, and returns how many. */
export async function dropOldAnswers(): Promise<number> {
  const { count } = await getPrisma().idempotency.deleteMany({ where: { createdAt: { lte: earliest() } } });
  return count;
}
