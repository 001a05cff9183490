import type { ResultNetwork } from '#contract/result.ts';
import type { TcpInfo } from '../kernel/tcp-info.ts';

/**
 * Takes down what the kernel knew of a connect that came to nothing. Nothing but SYNs was sent, so all that it sent
 * again were those; there was no answer that a round-trip time could be of.
 */
export function noteFailedConnect(network: ResultNetwork, info: TcpInfo): void {
  network.retransmits = info.retransmits;
  network.synRetransmits = info.retransmits;
  network.segmentsIn = info.segmentsIn;
  network.segmentsOut = info.segmentsOut;
}
