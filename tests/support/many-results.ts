import type { VantageRef } from '#contract/result.ts';
import { getPool } from '#server/database/database.ts';

/** `day` is its beginning in ms; `count` results are spread over it, over the targets in turn and then the vantages. */
type Day = { day: number; count: number; targets: readonly string[]; vantages: readonly VantageRef[] };

/**
 * Fills a day with main results, of which one in 2,000 fails: a hundred times as fast as they can be made one by one. There must
 * be a result already, for the words that rows name by number, and the day's partition.
 */
export async function fillDay({ day, count, targets, vantages }: Day): Promise<void> {
  await getPool().query(
    `insert into result (target_id, started_at, id, vantage_id, url_id, engine_version, demo, ok, clean, loop_delay_us,
        in_flight, dns_us, tcp_us, tls_us, first_byte_us, download_us, total_us, namelookup_us, connect_us, appconnect_us,
        pretransfer_us, starttransfer_us, end_us, peer_port, local_port, family, min_rtt_us, retransmits, snd_cwnd)
      select ($1::uuid[])[1 + n % $5], $2::timestamptz + n * make_interval(secs => 86400.0 / $4), gen_random_uuid(),
        ($3::uuid[])[1 + n / $5 % $6], (select url_id from result limit 1), 1, false, n % 2000 <> 3, true, 300, 4,
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 443, 40000, 4, 13, 0, 10
      from generate_series(0, $4::int - 1) n`,
    [targets, new Date(day), vantages.map(({ id }) => id), count, targets.length, vantages.length],
  );
}
