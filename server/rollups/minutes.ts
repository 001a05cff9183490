import type { PoolClient } from 'pg';
import { METRICS, type Metric } from '#contract/vocabulary.ts';
import { stringsOf } from '../dictionary.ts';
import { addSample, type Cell, count, type EncodedCell, emptyCell, encodeCell } from './cell.ts';
import { ONE_BY_ONE } from './tiers.ts';

type Row = [
  minute: number,
  vantageId: string,
  ok: boolean,
  clean: boolean,
  failureSourceId: number | null,
  ...thousandths: (number | null)[],
];

/** Where a metric stands in `result`, in thousandths of its unit. */
const THOUSANDTHS: Record<Metric, string> = {
  dns: 'dns_us',
  tcp: 'tcp_us',
  tls: 'tls_us',
  firstByte: 'first_byte_us',
  download: 'download_us',
  total: 'total_us',
  roundTrips: 'round_trips * 1000',
};

/** The cells of these minutes (seconds since 1970), computed from the results themselves. */
export async function computeMinutes(client: PoolClient, targetId: string, minutes: number[]): Promise<EncodedCell[]> {
  const { rows } = await client.query<Row>({
    text: `select minute, r.* from unnest($2::int[]) as minute cross join lateral (
        select vantage_id, ok, clean, failure_source_id, ${METRICS.map((m) => THOUSANDTHS[m]).join(', ')} from result
        where target_id = $1 and started_at >= to_timestamp(minute) and started_at < to_timestamp(minute + 60)
        ${ONE_BY_ONE}) r`,
    values: [targetId, minutes],
    rowMode: 'array',
  });
  const sources = await stringsOf(new Set(rows.flatMap((row) => row[4] ?? [])));
  const cells = new Map<string, Cell>();
  for (const row of rows) addResult(cellOf(cells, row[0], row[1]), row, sources);
  return [...cells.values()].map(encodeCell);
}

function cellOf(cells: Map<string, Cell>, minute: number, vantageId: string): Cell {
  const key = `${minute}${vantageId}`;
  const cell = cells.get(key) ?? emptyCell(minute, vantageId);
  cells.set(key, cell);
  return cell;
}

/** A failed or unclean result is counted and nothing more: its times are not what the target's users see. */
function addResult(cell: Cell, row: Row, sources: ReadonlyMap<number, string>): void {
  const [, , ok, clean, failureSourceId, ...thousandths] = row;
  count(cell, 'total');
  if (!clean) count(cell, 'unclean');
  if (ok) count(cell, 'ok');
  else count(cell, failedBy(failureSourceId === null ? undefined : sources.get(failureSourceId)));
  if (ok && clean) addSample(cell, thousandths);
}

function failedBy(source: string | undefined): 'failed_target' | 'failed_resolver' | 'failed_prober' {
  if (source === 'resolver') return 'failed_resolver';
  return source === 'prober' ? 'failed_prober' : 'failed_target';
}
