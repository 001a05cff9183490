import type { X509Certificate } from 'node:crypto';
import type { Failure, ResultNetwork } from '#contract/result.ts';
import type { IdentityProblem } from '../certificate/identity.ts';
import type { Exchange, ResponseBody, ResponseHead } from '../http/exchange.ts';
import type { KernelView } from '../interfaces.ts';
import type { Tap } from '../tls/tap.ts';
import type { Secured, TlsLine } from '../tls/tls.ts';
import { type Cuts, NO_CUTS, type Stamps } from './phases.ts';

/** All that one probe gathers, in the order in which it happens. The Result is made of it once, at the end. */
export type Evidence = {
  stamps: Stamps;
  cuts: Cuts;
  network: ResultNetwork;
  /** How late (ms) the end of the look-up may have been stamped. */
  lookupLateMs: number;
  /** The kernel's view of the connection; null before there is one, and where no kernel tells. */
  kernel: KernelView | null;
  tap: Tap | null;
  line: TlsLine | null;
  secured: Secured | null;
  /** Bytes and records sent when the handshake was over, before the request. */
  handshakeBytesOut: number;
  leaf: X509Certificate | undefined;
  problem: IdentityProblem | null;
  exchange: Exchange | null;
  head: ResponseHead | null;
  body: ResponseBody | null;
  failure: Failure | null;
};

export function noEvidence(start: number): Evidence {
  return {
    stamps: { start },
    cuts: NO_CUTS,
    network: {
      peerAddress: null,
      peerPort: null,
      localAddress: null,
      localPort: null,
      family: null,
      resolver: null,
      minRttMs: null,
      retransmits: null,
      sndCwnd: null,
    },
    lookupLateMs: 0,
    kernel: null,
    tap: null,
    line: null,
    secured: null,
    handshakeBytesOut: 0,
    leaf: undefined,
    problem: null,
    exchange: null,
    head: null,
    body: null,
    failure: null,
  };
}
