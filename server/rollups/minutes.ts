import type { PoolClient } from 'pg';
import { METRIC_TABLE, METRICS } from '#contract/vocabulary.ts';
import { IS_MAIN } from '#server/database/codes.ts';
import { stringsOf } from '#server/database/dictionary.ts';
import { addSample, type Cell, count, type EncodedCell, emptyCell, encodeCell } from './cell.ts';
import { StapleTallies, type StapleTally } from './staples.ts';
import { ONE_BY_ONE } from './tiers.ts';

/** What the results of some minutes amount to. */
type Minutes = { cells: EncodedCell[]; tallies: StapleTally[] };

type Row = [
  minute: number,
  vantageId: string,
  ok: boolean,
  clean: boolean,
  failureSourceId: number | null,
  stapleStatusId: number | null,
  peerAddressId: number | null,
  certificateId: number | null,
  ...thousandths: (number | null)[],
];

/** The metrics of a row of `result`, in thousandths of their units. */
const THOUSANDTHS = METRICS.map((metric) => `${METRIC_TABLE[metric].column} * ${METRIC_TABLE[metric].scale}`).join(
  ', ',
);

/**
 * The cells of these minutes (seconds since 1970), computed from the results themselves. Only main handshakes count: what
 * follows one (resumed, RSA, ECDSA, a redirect) is another measurement, and its failure no failure of the check.
 */
export async function computeMinutes(client: PoolClient, targetId: string, minutes: number[]): Promise<Minutes> {
  const { rows } = await client.query<Row>({
    text: `select minute, r.* from unnest($2::int[]) as minute cross join lateral (
        select vantage_id, ok, clean, failure_source_id, staple_status_id, peer_address_id, certificate_id,
          ${THOUSANDTHS} from result
        where target_id = $1 and ${IS_MAIN} and started_at >= to_timestamp(minute) and started_at < to_timestamp(minute + 60)
        ${ONE_BY_ONE}) r`,
    values: [targetId, minutes],
    rowMode: 'array',
  });
  const strings = await stringsOf(new Set(rows.flatMap((row) => [row[4] ?? [], row[5] ?? []].flat())));
  const cells = new Map<string, Cell>();
  const tallies = new StapleTallies();
  for (const row of rows) {
    addResult(cellOf(cells, row[0], row[1]), row, strings);
    addStaple(tallies, row, strings);
  }
  return { cells: [...cells.values()].map(encodeCell), tallies: tallies.all() };
}

function cellOf(cells: Map<string, Cell>, minute: number, vantageId: string): Cell {
  const key = `${minute}${vantageId}`;
  const cell = cells.get(key) ?? emptyCell(minute, vantageId);
  cells.set(key, cell);
  return cell;
}

/** A failed or unclean result is counted and nothing more: its times are not what the target's users see. */
function addResult(cell: Cell, row: Row, sources: ReadonlyMap<number, string>): void {
  const [, , ok, clean, failureSourceId, , , , ...thousandths] = row;
  count(cell, 'total');
  if (!clean) count(cell, 'unclean');
  if (ok) count(cell, 'ok');
  else count(cell, failedBy(failureSourceId === null ? undefined : sources.get(failureSourceId)));
  if (ok && clean) addSample(cell, thousandths);
}

/** A status of these is of no server in particular. */
const TELLS_NOTHING: ReadonlySet<string | undefined> = new Set(['not_applicable', 'not_observed']);

function addStaple(tallies: StapleTallies, row: Row, strings: ReadonlyMap<number, string>): void {
  const [minute, , , clean, , stapleStatusId, peerAddressId, certificateId] = row;
  if (stapleStatusId === null || !clean) return;
  const telling = !TELLS_NOTHING.has(strings.get(stapleStatusId));
  tallies.add(minute, peerAddressId, certificateId, stapleStatusId, telling);
}

function failedBy(source: string | undefined): 'failed_target' | 'failed_resolver' | 'failed_prober' {
  if (source === 'resolver') return 'failed_resolver';
  return source === 'prober' ? 'failed_prober' : 'failed_target';
}
