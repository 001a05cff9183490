/** FNV-1a over the UTF-16 units, then murmur3's finish, so that ids which differ in one digit lie far apart. */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Where in its period a check runs, from 0 to below 1: the same for the same id, wherever and whenever it is asked. */
export function phaseOf(id: string): number {
  return hash32(id) / 2 ** 32;
}

/** Which of `threads` runs a check (from 0 on). Independent of the phase, so that each thread's checks are spread out. */
export function threadOf(id: string, threads: number): number {
  return hash32(`thread of ${id}`) % threads;
}
