import type { ProbeMetricsQuery } from '#contract/target.ts';
import { IS_MAIN } from '#server/database/codes.ts';
import { getPool } from '#server/database/database.ts';
import { stringsOf } from '#server/database/dictionary.ts';
import { rowsOf } from '#server/database/one-target.ts';
import { certificatesOf, endingFirst } from '#server/results/certificates.ts';
import { ONE_BY_ONE } from '#server/rollups/tiers.ts';
import { targetNamed } from '#server/targets/target-ref.ts';

/** A target and a vantage that probes it. A namesake is what another target, or another vantage of its region and carrier, is called as well. */
export type ProbedPair = {
  targetId: string;
  target: string;
  hasNamesake: boolean;
  periodSeconds: number;
  vantageId: string;
  vantage: string;
  vantageHasNamesake: boolean;
  region: string;
  carrier: string;
};

/** A main handshake and its request. Times in s, `startedAt` and `certificateEnds` since 1970; null where there was none. */
export type NewestProbe = {
  startedAt: number;
  ok: boolean;
  dns: number | null;
  tcp: number | null;
  tls: number | null;
  firstByte: number | null;
  download: number | null;
  total: number | null;
  roundTrips: number | null;
  httpStatus: number | null;
  tlsVersion: string | null;
  /** Of the leaf, or of an intermediate that ends before it. */
  certificateEnds: number | null;
};

/** After so many periods, and at least so many seconds, a result is not of now. Within that time, 3 h at most, nothing is sealed. */
const STALE_PERIODS = 3;
const STALE_SECONDS = 60;

/** The pairs of the targets that are asked for, of all that are not paused; how many there are, though no more than `most` are given. */
export async function probedPairs(
  { target, tag }: ProbeMetricsQuery,
  most: number,
): Promise<{ pairs: ProbedPair[]; count: number }> {
  const { rows } = await getPool().query<ProbedPair & { count: number }>(
    `select t.id as "targetId", t.name as target, t.namesakes > 1 as "hasNamesake", t.period_seconds as "periodSeconds",
        v.id as "vantageId", v.name as vantage, v.namesakes > 1 as "vantageHasNamesake", v.region, v.carrier,
        (count(*) over ())::int as count
      from (select *, count(*) over (partition by name) as namesakes from target where deleted_at is null) t
      join "check" c on c.target_id = t.id
      join (select *, count(*) over (partition by name, region, carrier) as namesakes from vantage where deleted_at is null) v
        on v.id = c.vantage_id
      where c.deleted_at is null and t.enabled and ($1::text is null or t.name = $1 or t.id::text = lower($1))
        and ($2::text[] is null or t.tags && $2)
      order by t.id, v.id limit $3`,
    [target ?? null, tag?.length ? tag : null, most],
  );
  // Either the target has no results, or it does not exist.
  if (rows.length === 0 && target !== undefined) await targetNamed(target);
  return { pairs: rows, count: rows[0]?.count ?? 0 };
}

type Row = Omit<NewestProbe, 'tlsVersion' | 'certificateEnds'> & {
  targetId: string;
  vantageId: string;
  versionId: number | null;
  certificateId: number | null;
  chainId: number | null;
};

const READ = `target_id as "targetId", vantage_id as "vantageId", extract(epoch from started_at)::float8 as "startedAt", ok,
  dns_us / 1e6::float8 as dns, tcp_us / 1e6::float8 as tcp, tls_us / 1e6::float8 as tls, first_byte_us / 1e6::float8 as "firstByte",
  download_us / 1e6::float8 as download, total_us / 1e6::float8 as total, round_trips as "roundTrips", http_status as "httpStatus",
  tls_version_id as "versionId", certificate_id as "certificateId", sent_chain_id as "chainId"`;
const NOT_BY_PROBER = `(ok or failure_source_id is distinct from (select id from dictionary where hash = sha256('prober')))`;

/**
 * What each of these pairs measured last, in their order: null of one without a result of the last three periods. A failure by the
 * prober's own fault says nothing of a target, and is passed over.
 */
export async function newestProbes(pairs: readonly ProbedPair[]): Promise<(NewestProbe | null)[]> {
  const periods = new Map(pairs.map(({ targetId, periodSeconds }) => [targetId, periodSeconds]));
  const since = [...periods.values()].map((period) => Math.max(STALE_SECONDS, STALE_PERIODS * period));
  const values: unknown[] = [[...periods.keys()], since];
  const { rows } = await getPool().query<Row>(
    `select distinct on (r."targetId", r."vantageId") r.* from unnest($1::uuid[], $2::float8[]) as t (id, since) cross join lateral (
        select ${READ} from ${rowsOf('result', periods.keys(), values)} result
        where target_id = t.id and started_at > now() - make_interval(secs => t.since) and ${IS_MAIN} and ${NOT_BY_PROBER}
        ${ONE_BY_ONE}) r
      order by r."targetId", r."vantageId", r."startedAt" desc`,
    values,
  );
  const idsOf = (column: 'versionId' | 'certificateId' | 'chainId') =>
    new Set(rows.flatMap((row) => row[column] ?? []));
  const [strings, certificates, intermediates] = await Promise.all([
    stringsOf(idsOf('versionId')),
    certificatesOf(idsOf('certificateId')),
    endingFirst(idsOf('chainId')),
  ]);
  const found = new Map(
    rows.map(({ targetId, vantageId, versionId, certificateId, chainId, ...row }) => {
      const chain = [certificates.get(certificateId ?? 0), ...(intermediates.get(chainId ?? 0) ?? [])];
      const ends = chain.flatMap((each) => (each?.notAfter ? Date.parse(each.notAfter) / 1_000 : []));
      const certificateEnds = ends.length === 0 ? null : Math.min(...ends);
      const tlsVersion = strings.get(versionId ?? 0) ?? null;
      return [`${targetId} ${vantageId}`, { ...row, tlsVersion, certificateEnds }] as const;
    }),
  );
  return pairs.map(({ targetId, vantageId }) => found.get(`${targetId} ${vantageId}`) ?? null);
}

/** So many of the newest results of a target are looked at for its certificates: about one of each vantage. */
const LOOKED_AT = 100;

/** When the first of the leaf certificates ends that each target showed lately (s since 1970), by the target's id. */
export async function certificateEnds(): Promise<Map<string, number>> {
  const { rows } = await getPool().query<{ id: string; ends: number }>(
    `select t.id, extract(epoch from min(c.not_after))::float8 as ends from target t cross join lateral (
        select * from (
          select target_id, certificate_id from result
          where target_id = t.id and started_at > now() - make_interval(secs => greatest(${STALE_SECONDS}, ${STALE_PERIODS} * t.period_seconds))
          order by started_at desc limit ${LOOKED_AT}) newest
        ${ONE_BY_ONE}) shown join certificate c on c.id = shown.certificate_id
      where t.deleted_at is null and c.not_after is not null group by t.id`,
  );
  return new Map(rows.map(({ id, ends }) => [id, ends]));
}
