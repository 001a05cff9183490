import { addressProblem, isInNetworks, type Networks } from '#contract/public-address.ts';
import type { Result, VantageRef } from '#contract/result.ts';
import type { ProbeSettings } from '#contract/target.ts';
import { ProbeFailure } from './failure.ts';

/** One probe to run. `timeoutMs` bounds the whole of it; `settings.timeouts` bound each phase. */
export type ProbeRequest = {
  /** UUIDv7, minted by the caller: the identity of the Result wherever it goes. */
  id: string;
  url: string;
  settings: ProbeSettings;
  timeoutMs: number;
  targetId: string | null;
  vantage: VantageRef | null;
  demo: boolean;
  /** false refuses loopback, private, link-local and other addresses that are not public: the server's setting. */
  allowPrivate: boolean;
  /** Networks that are not public and that this prober may reach: its own setting. Both must agree. Left out: all. */
  reachable?: Networks | undefined;
  /** Addresses to try in turn where the settings' fixed one is not reached. */
  otherAddresses?: string[] | undefined;
  /** A session of an earlier probe to resume. */
  session?: Buffer | undefined;
};

/**
 * The Result, the newest TLS session that the server gave (null where it gave none), and the Result of a second request on
 * the connection (null where none was wanted, or the server did not keep it).
 */
export type Probed = { result: Result; session: Buffer | null; reuse: Result | null };

/**
 * Throws a ProbeFailure for an address that this request must not contact, be it a target or a resolver. Where the server
 * allows no private addresses, the name that points there is at fault; where only this prober refuses, the target is not.
 */
export function refuseAddress(address: string, { allowPrivate, reachable }: ProbeRequest, phase: 'dns' | 'tcp'): void {
  const problem = addressProblem(address);
  if (problem === null) return;
  if (!allowPrivate) throw new ProbeFailure(phase, 'address_not_allowed', 'target', `${problem}; it is not contacted`);
  if (reachable === undefined || isInNetworks(address, reachable)) return;
  const advice = 'this prober may not contact it: see its setting --allow-private';
  throw new ProbeFailure(phase, 'address_not_allowed', 'prober', `${problem}; ${advice}`);
}

/** The host of a URL as a name or a bare address: URLs put IPv6 into brackets. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}
