import type { PoolClient } from 'pg';

/** Handshakes of one minute (seconds since 1970) with one address, certificate and staple status. */
export type StapleTally = {
  minute: number;
  peerAddressId: number;
  certificateId: number;
  statusId: number;
  n: number;
};

/** Stands for an address or certificate that is not known, or not of interest. */
export const NOBODY = 0;

/** Adds up the staples of a minute; where the status says nothing of a server, its address and certificate are left out. */
export class StapleTallies {
  #tallies = new Map<string, StapleTally>();

  add(minute: number, address: number | null, certificate: number | null, statusId: number, telling: boolean): void {
    const peerAddressId = telling ? (address ?? NOBODY) : NOBODY;
    const certificateId = telling ? (certificate ?? NOBODY) : NOBODY;
    const key = `${minute} ${peerAddressId} ${certificateId} ${statusId}`;
    const tally = this.#tallies.get(key);
    if (tally) tally.n += 1;
    else this.#tallies.set(key, { minute, peerAddressId, certificateId, statusId, n: 1 });
  }

  all(): StapleTally[] {
    return [...this.#tallies.values()];
  }
}

/** Puts tallies in place of all that stood there for these minutes (seconds since 1970). */
export async function writeTallies(
  client: PoolClient,
  targetId: string,
  minutes: number[],
  tallies: StapleTally[],
): Promise<void> {
  await client.query(
    `delete from staple_minute where target_id = $1 and bucket = any(
      select to_timestamp(minute) from unnest($2::bigint[]) as minute)`,
    [targetId, minutes],
  );
  if (tallies.length === 0) return;
  await client.query(
    `insert into staple_minute (target_id, bucket, peer_address_id, certificate_id, status_id, n)
      select $1, to_timestamp(minute), address, certificate, status, n
      from unnest($2::bigint[], $3::int[], $4::int[], $5::int[], $6::int[]) as new (minute, address, certificate, status, n)`,
    [
      targetId,
      tallies.map((tally) => tally.minute),
      tallies.map((tally) => tally.peerAddressId),
      tallies.map((tally) => tally.certificateId),
      tallies.map((tally) => tally.statusId),
      tallies.map((tally) => tally.n),
    ],
  );
}
