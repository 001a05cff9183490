import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { hashSecret } from '#server/access/secrets.ts';
import { getPrisma } from '#server/database/database.ts';
import { enrolVantages, reenrolVantages } from '#server/vantages/enrolments.ts';
import { thisLocation } from './this-location.ts';

// The prober beside the server: `roundtrip start` gives it a token in its environment, `roundtrip setup` leaves one in a
// file for the prober of another container.

/** The little that is read of what the prober keeps (workers/prober/credential.ts). */
const Credential = z.object({ proberId: z.uuid() });

export const proberFolder = (folder: string) => path.join(folder, 'prober');

/**
 * The environment of this machine's prober, with a one-time token when it has no credential that the database knows.
 * Null when its vantage was removed: then it is not to run.
 */
export async function localProberEnv(folder: string): Promise<Record<string, string> | null> {
  const served = await vantagesOfProber(folder);
  if (served !== null) return served > 0 ? {} : null;
  const { token } = await enrolVantages([thisVantage()]);
  return { ROUNDTRIP_TOKEN: token };
}

/** Leaves a one-time token in the file `token` of `folder` where the prober there needs one. Returns its state, in words. */
export async function leaveToken(folder: string): Promise<string> {
  const file = path.join(folder, 'token');
  const last = existsSync(file) ? readFileSync(file, 'utf8').trim() || null : null;
  const { token, state } = await obtainToken(folder, last);
  if (token !== null) writeWhole(file, `${token}\n`);
  return state;
}

/** `token`: what to hand to the prober from now on; null where it keeps what it has. `state` says why, in words. */
type LocalVantage = { token: string | null; state: string };

/**
 * A one-time token for the prober whose data is in `folder`, where it needs one. `lastToken` is the one it was given
 * before: its vantage is taken up again rather than made twice, whether the token was used, ran out, or still waits.
 */
async function obtainToken(folder: string, lastToken: string | null): Promise<LocalVantage> {
  const served = await vantagesOfProber(folder);
  if (served === 0) return { token: null, state: 'its vantage was deleted; stop it with `docker compose stop prober`' };
  if (served !== null) return { token: null, state: 'enrolled' };
  const meant = await vantagesOfToken(lastToken);
  if (meant.waiting) return { token: null, state: 'its unused token was kept' };
  if (meant.vantageIds.length > 0) {
    const { token } = await reenrolVantages(meant.vantageIds);
    return { token, state: 'new token for its existing vantage' };
  }
  const { token } = await enrolVantages([thisVantage()]);
  return { token, state: 'created a vantage and a token for it' };
}

/** The vantage of this machine. Secrets may be there: what opens them is on this machine, too. */
const thisVantage = () => ({ ...thisLocation(), mayHoldSecrets: true });

/** How many vantages the prober of this folder serves; null where the database knows no such prober. */
async function vantagesOfProber(folder: string): Promise<number | null> {
  const file = path.join(proberFolder(folder), 'credential.json');
  if (!existsSync(file)) return null;
  const stored = Credential.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!stored.success) return null;
  const vantages = { where: { deletedAt: null }, select: { id: true } };
  const prober = await getPrisma().prober.findUnique({ where: { id: stored.data.proberId }, select: { vantages } });
  return prober === null ? null : prober.vantages.length;
}

async function vantagesOfToken(token: string | null): Promise<{ vantageIds: string[]; waiting: boolean }> {
  if (token === null) return { vantageIds: [], waiting: false };
  const rows = await getPrisma().enrolment.findMany({
    where: { tokenHash: hashSecret(token), vantage: { deletedAt: null } },
    select: { vantageId: true, usedAt: true, expiresAt: true },
  });
  const now = new Date();
  const waiting = rows.length > 0 && rows.every((row) => row.usedAt === null && row.expiresAt > now);
  return { vantageIds: rows.map((row) => row.vantageId), waiting };
}

/** Whole or not at all: the prober reads it. */
function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}
