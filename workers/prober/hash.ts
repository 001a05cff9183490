import { hash } from 'node:crypto';

/** 32 bits of a hash, so that ids which differ in one digit lie far apart. */
const hash32 = (text: string): number => hash('sha1', text, 'buffer').readUInt32BE();

/** Where in its period a check runs, from 0 to below 1: the same for the same id, wherever and whenever it is asked. */
export function phaseOf(id: string): number {
  return hash32(id) / 2 ** 32;
}

/** Which of `threads` runs a check (from 0 on). Independent of the phase, so that each thread's checks are spread out. */
export function threadOf(id: string, threads: number): number {
  return hash32(`thread of ${id}`) % threads;
}
