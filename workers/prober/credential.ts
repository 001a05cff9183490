import { createHash, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type EnrolRequest, EnrolResponse } from '#contract/ingest.ts';
import { ENGINE_VERSION } from '#contract/result.ts';
import { backoffMs, pause } from './backoff.ts';
import type { IngestClient } from './client.ts';
import { readJson, writeJson } from './files.ts';
import type { Logger } from './logger.ts';

const Stored = z.object({
  proberId: z.uuid(),
  credential: z.string().min(1),
  /** SHA-256 of the token it was exchanged for: the same token again is a restart, another one a new enrolment. */
  tokenHash: z.string(),
});
type Stored = z.infer<typeof Stored>;
/** A credential of our own making, on disk before its hash is sent to the server: the exchange can be repeated after a crash. */
const Proposed = z.object({ tokenHash: z.string(), credential: z.string().min(1) });

/** The prober cannot work: no token, one that the server refuses, or a credential that it has revoked. */
export class EnrolmentError extends Error {
  override name = 'EnrolmentError';
}

type Options = {
  client: IngestClient;
  dataDir: string;
  token: string | undefined;
  logger: Logger;
  signal: AbortSignal;
};

/** The credential of the data folder, or a new one for the token. Waits while the server is away. */
export async function obtainCredential(options: Options): Promise<string> {
  const path = join(options.dataDir, 'credential.json');
  const stored = readJson(path, Stored);
  const { token } = options;
  if (stored && (token === undefined || stored.tokenHash === hashOf(token))) return stored.credential;
  if (token === undefined) {
    throw new EnrolmentError(
      `No credential is kept in ${options.dataDir}: give an enrolment token (Vantages, Add) with --token, or in the file that ROUNDTRIP_TOKEN_FILE names.`,
    );
  }
  const proposedPath = join(options.dataDir, 'enrolling.json');
  const proposed = readJson(proposedPath, Proposed);
  const own = proposed?.tokenHash === hashOf(token) ? proposed.credential : mintCredential();
  writeJson(proposedPath, { tokenHash: hashOf(token), credential: own });
  const exchanged = await exchange(token, own, options);
  if (exchanged) writeJson(path, { ...exchanged, tokenHash: hashOf(token) });
  rmSync(proposedPath, { force: true });
  if (exchanged) return exchanged.credential;
  if (!stored) {
    throw new EnrolmentError('The server refuses the enrolment token (used, expired or unknown): make a new one.');
  }
  options.logger.warn('the server refuses the new enrolment token; going on with the credential kept from before');
  return stored.credential;
}

/** Null when the server refuses the token. */
async function exchange(token: string, own: string, options: Options): Promise<Omit<Stored, 'tokenHash'> | null> {
  const request: EnrolRequest = {
    token,
    engineVersion: ENGINE_VERSION,
    host: hostname().slice(0, 253),
    credentialHash: hashOf(own),
  };
  for (let attempt = 1; !options.signal.aborted; attempt += 1) {
    const outcome = await options.client.send({
      method: 'POST',
      path: 'api/ingest/enrol',
      body: JSON.stringify(request),
    });
    const answer = outcome.kind === 'ok' ? EnrolResponse.safeParse(outcome.body) : null;
    if (answer?.success) {
      const names = answer.data.vantages.map((vantage) => vantage.name).join(', ');
      options.logger.info(`enrolled for ${names}`);
      return { proberId: answer.data.proberId, credential: own };
    }
    if (outcome.kind === 'unauthorised' || outcome.kind === 'refused') return null;
    const message = outcome.kind === 'away' ? outcome.message : 'its answer is not that of a Roundtrip server';
    options.logger.warn(`cannot enrol yet, trying again: ${message}`);
    await pause((outcome.kind === 'away' && outcome.retryAfterMs) || backoffMs(attempt), options.signal);
  }
  throw new EnrolmentError('Stopped before the server answered.');
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

function mintCredential(): string {
  return `rtp_${randomBytes(32).toString('base64url')}`;
}
