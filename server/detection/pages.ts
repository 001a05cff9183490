// A piece of a detector's state as what differs from the same piece before: its first part, the plain data, whole, and of
// the rest, its arrays, the pages that are not as they were. A piece begins with the length of the first part (four bytes).

/** Bytes of a page. */
const PAGE = 256;
const HEADER = 4;

/**
 * What is remembered of a piece: how long its arrays were, and 64 bits for each page of them, by which a page is known again: of
 * 10^8 pages a day one in 500 million years would be taken for another.
 */
export type Fingerprint = { length: number; pages: Uint32Array };

const scratch = new Uint32Array(PAGE / 4);
const scratchBytes = new Uint8Array(scratch.buffer);

export function fingerprintOf(piece: Uint8Array): Fingerprint {
  const arrays = piece.subarray(startOf(piece));
  const pages = new Uint32Array(2 * Math.ceil(arrays.length / PAGE));
  for (let page = 0; 2 * page < pages.length; page++) {
    scratch.fill(0);
    scratchBytes.set(arrays.subarray(page * PAGE, (page + 1) * PAGE));
    pages[2 * page] = hash(0x9747b28c, 0xcc9e2d51, 0x1b873593);
    pages[2 * page + 1] = hash(0x2f0b4a27, 0x239b961b, 0x38b34ae5);
  }
  return { length: arrays.length, pages };
}

/** MurmurHash3 of the scratch page, with the constants of its 32-bit and its 128-bit kind. */
function hash(seed: number, first: number, second: number): number {
  let mixed = seed;
  for (let index = 0; index < scratch.length; index++) {
    let word = Math.imul(scratch[index] as number, first);
    word = Math.imul((word << 15) | (word >>> 17), second);
    mixed ^= word;
    mixed = (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
  }
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** What `apply` needs to make `piece`, which `now` is of, of the piece that `before` is of; of nothing where there is none. */
export function differenceOf(piece: Uint8Array, now: Fingerprint, before: Fingerprint | undefined): Uint8Array {
  const start = startOf(piece);
  const arrays = piece.subarray(start);
  const changed: number[] = [];
  for (let page = 0; 2 * page < now.pages.length; page++) if (!isSame(now, before, page)) changed.push(page);
  const pages = changed.map((page) => arrays.subarray(page * PAGE, (page + 1) * PAGE));
  const size = pages.reduce((sum, { length }) => sum + length, start + HEADER * (2 + changed.length));
  const difference = Buffer.alloc(size);
  difference.set(piece.subarray(0, start));
  let at = difference.writeUInt32LE(arrays.length, start);
  at = difference.writeUInt32LE(changed.length, at);
  for (const page of changed) at = difference.writeUInt32LE(page, at);
  for (const page of pages) {
    difference.set(page, at);
    at += page.length;
  }
  return difference;
}

/** Pages that the arrays' end cuts off elsewhere are never the same. */
function isSame(now: Fingerprint, before: Fingerprint | undefined, page: number): boolean {
  if (before === undefined) return false;
  const end = (page + 1) * PAGE;
  if (now.length !== before.length && (end > now.length || end > before.length)) return false;
  return now.pages[2 * page] === before.pages[2 * page] && now.pages[2 * page + 1] === before.pages[2 * page + 1];
}

/** The piece that a difference was made of. Throws a RangeError where the bytes are not of one. */
export function apply(difference: Uint8Array, before: Uint8Array | undefined): Uint8Array {
  const view = new DataView(difference.buffer, difference.byteOffset, difference.byteLength);
  const start = startOf(difference);
  const length = view.getUint32(start, true);
  const count = view.getUint32(start + HEADER, true);
  const piece = new Uint8Array(start + length);
  if (before) piece.set(before.subarray(startOf(before)).subarray(0, length), start);
  piece.set(difference.subarray(0, start));
  let at = start + HEADER * (2 + count);
  for (let index = 0; index < count; index++) {
    const page = view.getUint32(start + HEADER * (2 + index), true);
    const bytes = difference.subarray(at, at + Math.min(PAGE, length - page * PAGE));
    piece.set(bytes, start + page * PAGE);
    at += bytes.length;
  }
  if (at !== difference.length) throw new RangeError('a checkpoint ends elsewhere than its pages');
  return piece;
}

function startOf(piece: Uint8Array): number {
  return HEADER + new DataView(piece.buffer, piece.byteOffset, piece.byteLength).getUint32(0, true);
}
