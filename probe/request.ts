import type { Result, VantageRef } from '#contract/result.ts';
import type { ProbeSettings } from '#contract/target.ts';

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
  /** false refuses loopback, private, link-local and other addresses that are not public. */
  allowPrivate: boolean;
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

/** The host of a URL as a name or a bare address: URLs put IPv6 into brackets. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}
