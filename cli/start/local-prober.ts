import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { getPrisma } from '#server/database/database.ts';
import { enrolVantages } from '#server/vantages/enrolments.ts';
import { thisPlace } from './this-place.ts';

/** The little that is read of what the prober keeps (workers/prober/credential.ts). */
const Credential = z.object({ proberId: z.uuid() });

export const proberFolder = (folder: string) => path.join(folder, 'prober');

/**
 * The environment of this machine's prober, with a one-time token when it has no credential that the database knows.
 * Null when its vantage was removed: then nobody wants it to run.
 */
export async function localProberEnv(folder: string): Promise<Record<string, string> | null> {
  const proberId = enrolledId(folder);
  const prober = proberId === null ? null : await knownProber(proberId);
  if (prober) return prober.vantages.length > 0 ? {} : null;
  const { token } = await enrolVantages([thisPlace()]);
  return { ROUNDTRIP_TOKEN: token };
}

function enrolledId(folder: string): string | null {
  const file = path.join(proberFolder(folder), 'credential.json');
  if (!existsSync(file)) return null;
  const stored = Credential.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  return stored.success ? stored.data.proberId : null;
}

function knownProber(id: string) {
  const vantages = { where: { deletedAt: null }, select: { id: true } };
  return getPrisma().prober.findUnique({ where: { id }, select: { vantages } });
}
