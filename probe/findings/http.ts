import type { Finding, Result, ResultHttp } from '#contract/result.ts';
import { lossOf } from '../round-trips/loss.ts';
import { fact, waste } from './finding.ts';

/** No window holds less than two segments: a smaller record was never too large for one. */
const LEAST_LARGE_RECORD_BYTES = 2_800;
/** A wait of this share of a round trip, at round-trip times of at least this many milliseconds, is one; the rest is noise. */
const LEAST_WAIT_SHARE = 0.6;
const LEAST_RTT_MS = 1.7;
/** The largest record fits through the smallest window in four; what waits longer was lost, not held back. */
const MOST_ROUND_TRIPS = 3;
/** So many records, with so few bytes of body each on average, are tiny ones. */
const LEAST_TINY_RECORDS = 16;
const TINY_BYTES = 400;

/** What the answer shows. */
export function httpFindings(result: Result, offeredHttp2: boolean): Finding[] {
  const { http } = result;
  if (!http) return [];
  const found = [...largeRecord(result, http), ...tinyRecords(http)];
  if (offeredHttp2 && http.version !== '2')
    found.push(fact('http1_only', 'info', `the server spoke HTTP/${http.version}`));
  return found;
}

/** The first record's packets came in two flights: what the first one brought could not be read yet. */
function largeRecord({ phases, network }: Result, http: ResultHttp): Finding[] {
  // A lost packet makes the same gap.
  if (lossOf(network, phases.tcp ?? 0, null).segment !== null) return [];
  const { firstPacketMs, firstUsableMs, firstRecordBytes } = http;
  const rtt = network.minRttMs ?? phases.tcp;
  if (rtt === null || rtt < LEAST_RTT_MS || (firstRecordBytes ?? 0) < LEAST_LARGE_RECORD_BYTES) return [];
  const gap = (firstUsableMs ?? 0) - (firstPacketMs ?? firstUsableMs ?? 0);
  const roundTrips = Math.max(1, Math.round(gap / rtt));
  if (gap < rtt * LEAST_WAIT_SHARE || roundTrips > MOST_ROUND_TRIPS) return [];
  const evidence = `the first record of the answer has ${firstRecordBytes} bytes, and its last one came ${gap.toFixed(1)} ms after its first packet: consistent with a record that exceeds the congestion window`;
  return [waste('records_exceed_window', roundTrips, rtt, evidence)];
}

function tinyRecords({ records, bytes }: ResultHttp): Finding[] {
  if (records === null || records < LEAST_TINY_RECORDS || bytes / records >= TINY_BYTES) return [];
  return [fact('tiny_records', 'warning', `a body of ${bytes} bytes came in ${records} records`)];
}
