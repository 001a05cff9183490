import { roundMs } from '../format.ts';
import type { Evidence } from '../phases/evidence.ts';

/** Takes down what the kernel knows of the connection by now; nothing where it cannot be asked. */
export function noteKernelFigures({ kernel, network }: Evidence): void {
  if (!kernel) return;
  const now = kernel.info();
  network.minRttMs = roundMs(now.minRttMs);
  network.retransmits = now.retransmits;
  network.sndCwnd = now.sndCwnd;
  network.rttMs = roundMs(kernel.atConnect.rttMs);
  network.synRetransmits = kernel.atConnect.retransmits;
  network.segmentsIn = now.segmentsIn;
  network.segmentsOut = now.segmentsOut;
  network.outOfOrder = now.outOfOrder;
}
