import { MAX_STAPLE_DAYS, type StapleRow, type Staples, type StaplesQuery } from '#contract/staples.ts';
import { STAPLE_STATUSES } from '#contract/vocabulary.ts';
import { getPool } from '#server/database/database.ts';
import { stringsOf } from '#server/database/dictionary.ts';
import { invalidField } from '#server/environment/errors.ts';
import { certificatesOf } from '#server/results/certificates.ts';
import { targetRef, type WatchedTarget } from '#server/targets/target-ref.ts';
import { instantOf, type Range, resolveRange } from './range.ts';

type Status = (typeof STAPLE_STATUSES)[number];

/** The worst first: what a strict client refuses, what a client must ignore, what is not there. */
const BY_SEVERITY: readonly Status[] = [
  'revoked',
  'invalid',
  'malformed',
  'stale',
  'unknown',
  'unsuccessful',
  'missing',
  'unverified',
  'good',
  'not_observed',
  'not_applicable',
];

/** Connections of one address, certificate and status; the first and last minute, in seconds since 1970. */
type Group = {
  peerAddressId: number;
  certificateId: number;
  statusId: number;
  n: number;
  first: number;
  last: number;
};

/**
 * Staple hits of a target's servers over a range, the last 24 hours where left out, from the minutes that jobs count
 * (server/rollups): raw results would be read by the hundred thousand. Throws `not_found`, or `invalid` for a
 * range that is none or longer than MAX_STAPLE_DAYS.
 */
export async function queryStaples(targetId: string, query: StaplesQuery): Promise<Staples> {
  return await staplesOf(await targetRef(targetId, 'id'), query);
}

/** The same of a target that was read. */
export async function staplesOf(target: WatchedTarget, query: StaplesQuery): Promise<Staples> {
  const range = resolveRange(query);
  if (range.to - range.from > MAX_STAPLE_DAYS * 86_400)
    throw invalidField('from', `is more than ${MAX_STAPLE_DAYS} days before to: ask for a shorter range`);
  const named = await nameGroups(await readGroups(target.id, range));
  const rows = foldRows(named.filter(({ status }) => status !== 'not_applicable' && status !== 'not_observed'));
  return {
    targetId: target.id,
    from: instantOf(range.from),
    to: instantOf(range.to),
    demo: target.demo,
    notApplicable: sum(named.filter(({ status }) => status === 'not_applicable').map(({ n }) => n)),
    ...countsOf(rows),
    rows,
  };
}

async function readGroups(targetId: string, { from, to }: Range): Promise<Group[]> {
  const { rows } = await getPool().query<Group>(
    `select peer_address_id as "peerAddressId", certificate_id as "certificateId", status_id as "statusId",
        sum(n)::int as n, extract(epoch from min(bucket))::int as first, extract(epoch from max(bucket))::int as last
      from staple_minute
      where target_id = $1 and bucket >= to_timestamp($2) and bucket < to_timestamp($3)
      group by peer_address_id, certificate_id, status_id`,
    [targetId, from, to],
  );
  return rows;
}

type Named = Omit<Group, 'statusId' | 'peerAddressId' | 'certificateId'> & {
  status: Status;
  peerAddress: string | null;
  kind: StapleRow['certificateKind'];
};

async function nameGroups(groups: Group[]): Promise<Named[]> {
  const [strings, certificates] = await Promise.all([
    stringsOf(new Set(groups.flatMap((group) => [group.statusId, group.peerAddressId]))),
    certificatesOf(new Set(groups.map((group) => group.certificateId))),
  ]);
  return groups.flatMap(({ peerAddressId, certificateId, statusId, ...group }) => {
    const status = STAPLE_STATUSES.find((each) => each === strings.get(statusId));
    const peerAddress = strings.get(peerAddressId) ?? null;
    return status ? [{ ...group, status, peerAddress, kind: kindOf(certificates.get(certificateId)?.keyType) }] : [];
  });
}

function kindOf(keyType: string | undefined): StapleRow['certificateKind'] {
  if (keyType?.startsWith('rsa')) return 'RSA';
  return keyType === 'ec' ? 'ECDSA' : 'other';
}

function foldRows(groups: Named[]): StapleRow[] {
  const byPlace = Map.groupBy(groups, ({ peerAddress, kind }) => `${peerAddress} ${kind}`);
  const rows = [...byPlace.values()].flatMap((same) => rowOf(same) ?? []);
  return rows.toSorted((a, b) => (a.hitRatio ?? 1) - (b.hitRatio ?? 1) || b.connections - a.connections);
}

function rowOf(groups: Named[]): StapleRow | null {
  const [first] = groups;
  if (!first) return null;
  const hits = groups.filter(({ status }) => status === 'good');
  const statuses: StapleRow['statuses'] = {};
  for (const { status, n } of groups) statuses[status] = (statuses[status] ?? 0) + n;
  // What the prober could not verify says nothing of the server.
  const connections = sum(groups.filter(({ status }) => status !== 'unverified').map(({ n }) => n));
  return {
    peerAddress: first.peerAddress,
    certificateKind: first.kind,
    connections,
    hits: sum(hits.map(({ n }) => n)),
    hitRatio: connections === 0 ? null : sum(hits.map(({ n }) => n)) / connections,
    firstSeenAt: instantOf(Math.min(...groups.map((group) => group.first))),
    lastSeenAt: instantOf(Math.max(...groups.map((group) => group.last))),
    lastHitAt: hits.length === 0 ? null : instantOf(Math.max(...hits.map((group) => group.last))),
    worstStatus: BY_SEVERITY.find((status) => status in statuses) ?? first.status,
    statuses,
  };
}

function countsOf(rows: StapleRow[]): Pick<Staples, 'connections' | 'hits' | 'hitRatio'> {
  const connections = sum(rows.map((row) => row.connections));
  const hits = sum(rows.map((row) => row.hits));
  return { connections, hits, hitRatio: connections === 0 ? null : hits / connections };
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
