import { createHash } from 'node:crypto';
import type { Assignments, Check } from '#contract/check.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { allowsPrivateAddresses } from '#server/access/private-addresses.ts';
import { getPrisma } from '#server/database/database.ts';
import { log } from '#server/environment/log.ts';
import { openSettings } from '#server/targets/secrets.ts';
import { noteContact } from './contact.ts';
import type { AuthenticatedProber } from './probers.ts';
import { presentVantageRef } from './vantages.ts';

/** How often probers ask; the demo's ask more often, so that its first matrix comes soon. */
const POLL_SECONDS = 10;
const DEMO_POLL_SECONDS = 3;
/** A probe may take this much of its period. */
const TIMEOUT_SHARE = 0.8;

const withAll = { target: true, vantage: true } as const;
type Row = Prisma.CheckGetPayload<{ include: typeof withAll }>;

/**
 * What a prober is to do: what has changed since the revision it names, or everything (`full`) where it names none that
 * the delta can be told from. Notes that the prober was heard.
 */
export async function assignmentsSince(prober: AuthenticatedProber, since: string | null): Promise<Assignments> {
  await noteContact(prober.id);
  const allowPrivate = await allowsPrivateAddresses();
  const served = fingerprint(prober.vantageIds, allowPrivate);
  const from = await knownRevision(since, served);
  const rows = await changedChecks(prober, from);
  const latest = rows.at(-1)?.revision ?? from ?? 0n;
  const checks = rows.filter((row) => row.deletedAt === null).flatMap((row) => present(row, allowPrivate));
  return {
    revision: `${latest}.${served}`,
    full: from === null,
    checks,
    removed: from === null ? [] : rows.filter((row) => row.deletedAt !== null).map((row) => row.id),
    serverTime: new Date().toISOString(),
    pollSeconds: rows.some((row) => row.target.demo) || (await servesDemo(prober)) ? DEMO_POLL_SECONDS : POLL_SECONDS,
  };
}

/** Rows of removed checks come along in a delta, and in a full list for their revision alone. */
function changedChecks(prober: AuthenticatedProber, from: bigint | null): Promise<Row[]> {
  return getPrisma().check.findMany({
    where: { vantage: { proberId: prober.id }, ...(from === null ? {} : { revision: { gt: from } }) },
    include: withAll,
    orderBy: { revision: 'asc' },
  });
}

/**
 * The revision to tell a delta from; null where there is none. A revision also names the vantages that the prober then
 * served, and whether private addresses were allowed: when another prober took some of them over, or the environment or the
 * settings say otherwise, no check changed, and only a full list tells.
 */
async function knownRevision(since: string | null, served: string): Promise<bigint | null> {
  const [, digits, vantages] = /^(\d{1,18})\.([\w-]+)$/.exec(since ?? '') ?? [];
  if (digits === undefined || vantages !== served) return null;
  const revision = BigInt(digits);
  const [kept] = await getPrisma().$queryRaw<{ lowest: bigint; highest: bigint }[]>`
    select coalesce((select (value->>'revision')::bigint from setting where key = 'checksForgotten'), 0) as lowest,
           (select last_value from check_revision) as highest`;
  return kept && revision >= kept.lowest && revision <= kept.highest ? revision : null;
}

const fingerprint = (vantageIds: string[], allowPrivate: boolean) =>
  createHash('sha256')
    .update(`${vantageIds.join()}${allowPrivate ? ' private' : ''}`)
    .digest('base64url')
    .slice(0, 12);

async function servesDemo(prober: AuthenticatedProber): Promise<boolean> {
  return (await getPrisma().vantage.count({ where: { proberId: prober.id, demo: true, deletedAt: null } })) > 0;
}

/** The check; none where its vantage may not hold the target's secrets, or this process cannot open them. */
function present(row: Row, allowPrivate: boolean): Check[] {
  if (row.target.secrets !== null && !row.vantage.mayHoldSecrets) return [];
  const settings = openSettings(row.target);
  if (settings === null) {
    log.error(
      { targetId: row.targetId },
      'the secrets of a target were sealed with another ROUNDTRIP_SECRET: not probed',
    );
    return [];
  }
  const phases = Object.values(settings.timeouts).reduce((sum, timeout) => sum + timeout, 0);
  const check = {
    id: row.id,
    targetId: row.targetId,
    url: row.target.url,
    vantage: presentVantageRef(row.vantage),
    demo: row.target.demo,
    periodSeconds: row.target.periodSeconds,
    timeoutMs: Math.min(phases, row.target.periodSeconds * 1_000 * TIMEOUT_SHARE),
    settings,
    allowPrivate: row.target.demo || allowPrivate,
  };
  return [check];
}
