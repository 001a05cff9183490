import { totalmem } from 'node:os';

const MIB = 1024 * 1024;

/** The memory (MiB) that this machine has, or the limit of the control group (container) that this process is in, if it is less. */
export function memoryMib(total: number = totalmem(), limit: number = process.constrainedMemory()): number {
  // Without a limit Node says 0, or a number beyond any machine.
  return Math.floor((limit > 0 ? Math.min(total, limit) : total) / MIB);
}

/** A part of the memory, within bounds, all MiB. */
export function shareOf(memory: number, part: number, [least, most]: readonly [number, number]): number {
  return Math.round(Math.min(most, Math.max(least, memory * part)));
}
