import type { PoolClient } from 'pg';
import type { Bucket } from './rollup-rows.ts';

/** Handshakes of one minute with one address, certificate and staple status. */
export type StapleTally = Bucket & {
  peerAddressId: number;
  certificateId: number;
  statusId: number;
  n: number;
};

/** The id of an address or certificate that is not known, or not of interest. */
export const NO_ID = 0;

/** Adds up the staples of a minute; where the status says nothing of a server, its address and certificate are left out. */
export class StapleTallies {
  #tallies = new Map<string, StapleTally>();

  add(
    { targetId, bucket }: Bucket,
    address: number | null,
    certificate: number | null,
    statusId: number,
    telling: boolean,
  ): void {
    const peerAddressId = telling ? (address ?? NO_ID) : NO_ID;
    const certificateId = telling ? (certificate ?? NO_ID) : NO_ID;
    const key = `${targetId} ${bucket} ${peerAddressId} ${certificateId} ${statusId}`;
    const tally = this.#tallies.get(key);
    if (tally) tally.n += 1;
    else this.#tallies.set(key, { targetId, bucket, peerAddressId, certificateId, statusId, n: 1 });
  }

  all(): StapleTally[] {
    return [...this.#tallies.values()];
  }
}

/** Puts tallies in place of all that stood there for these minutes. */
export async function writeTallies(
  client: PoolClient,
  minutes: readonly Bucket[],
  tallies: readonly StapleTally[],
): Promise<void> {
  await client.query(
    `delete from staple_minute using unnest($1::uuid[], $2::bigint[]) as due (target_id, minute)
      where staple_minute.target_id = due.target_id and bucket = to_timestamp(minute)`,
    [minutes.map(({ targetId }) => targetId), minutes.map(({ bucket }) => bucket)],
  );
  if (tallies.length === 0) return;
  await client.query(
    `insert into staple_minute (target_id, bucket, peer_address_id, certificate_id, status_id, n)
      select target_id, to_timestamp(minute), address, certificate, status, n
      from unnest($1::uuid[], $2::bigint[], $3::int[], $4::int[], $5::int[], $6::int[])
        as new (target_id, minute, address, certificate, status, n)`,
    [
      tallies.map((tally) => tally.targetId),
      tallies.map((tally) => tally.bucket),
      tallies.map((tally) => tally.peerAddressId),
      tallies.map((tally) => tally.certificateId),
      tallies.map((tally) => tally.statusId),
      tallies.map((tally) => tally.n),
    ],
  );
}
