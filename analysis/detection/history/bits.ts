// Numbers in a stream of bits, most significant first, each by a code of Rice (1979): how far it is from the mean of those
// before it in its channel, in about as many bits as that distance usually needs.

/** What the channels' numbers have been like, two a channel: sixteen times their mean, and sixteen times that of coded distances. */
export type Channels = number[];

/** Bytes that must follow the last one of a stream. */
export const STREAM_PADDING = 4;
/** The longest code, bits. */
export const LONGEST_CODE = 52;
/** The most ones a code begins with; after so many the distance follows as 32 bits. */
const MOST_ONES = 20;
const FIRST_DISTANCE = 1_024;

export function newChannels(count: number): Channels {
  return Array.from({ length: 2 * count }, (_, index) => (index % 2 === 0 ? 0 : 16 * FIRST_DISTANCE));
}

/** The bits from one on, at the top of 32; at least 25 of them are good. */
export function windowAt(bytes: Uint8Array, at: number): number {
  const byte = at >> 3;
  const four =
    ((bytes[byte] as number) << 24) |
    ((bytes[byte + 1] as number) << 16) |
    ((bytes[byte + 2] as number) << 8) |
    (bytes[byte + 3] as number);
  return four << (at & 7);
}

/** Writes a number of at most 25 bits; the bit after it. */
export function putBits(bytes: Uint8Array, at: number, value: number, width: number): number {
  let left = width;
  let bit = at;
  while (left > 0) {
    const room = 8 - (bit & 7);
    const taken = Math.min(room, left);
    const mask = ((1 << taken) - 1) << (room - taken);
    const part = ((value >>> (left - taken)) << (room - taken)) & mask;
    bytes[bit >> 3] = ((bytes[bit >> 3] as number) & ~mask) | part;
    bit += taken;
    left -= taken;
  }
  return bit;
}

/** Writes a whole number, within 2^30 of the channel's others; the bit after it. The channel learns it. */
export function putCode(bytes: Uint8Array, at: number, channels: Channels, channel: number, value: number): number {
  const distance = value - meanOf(channels[2 * channel] as number);
  const coded = ((distance << 1) ^ (distance >> 31)) >>> 0;
  const width = widthOf(channels[2 * channel + 1] as number);
  const ones = coded >>> width;
  learn(channels, channel, distance, coded);
  if (ones < MOST_ONES) {
    const [head, rest] = [(1 << (ones + 1)) - 2, coded & ((1 << width) - 1)];
    if (ones + 1 + width <= 25) return putBits(bytes, at, (head << width) | rest, ones + 1 + width);
    return putBits(bytes, putBits(bytes, at, head, ones + 1), rest, width);
  }
  const after = putBits(bytes, at, (1 << MOST_ONES) - 1, MOST_ONES);
  return putBits(bytes, putBits(bytes, after, coded >>> 16, 16), coded & 0xffff, 16);
}

/** The number that `takeCode` read. */
export let taken = 0;

/** Reads what `putCode` wrote, into `taken`; the bit after it. The channel learns it. */
export function takeCode(bytes: Uint8Array, at: number, channels: Int32Array, channel: number): number {
  const window = windowAt(bytes, at);
  const ones = Math.clz32(~window);
  let after: number;
  let coded: number;
  if (ones < MOST_ONES) {
    const width = widthOf(channels[2 * channel + 1] as number);
    after = at + ones + 1 + width;
    // Most codes are within one window; two shifts, since one by 32 does nothing.
    const rest = ones + 1 + width <= 25 ? window << (ones + 1) : windowAt(bytes, at + ones + 1);
    coded = (ones << width) | ((rest >>> 1) >>> (31 - width));
  } else {
    after = at + LONGEST_CODE;
    coded = ((windowAt(bytes, at + MOST_ONES) & 0xffff0000) | (windowAt(bytes, at + MOST_ONES + 16) >>> 16)) >>> 0;
  }
  const distance = (coded >>> 1) ^ -(coded & 1);
  taken = meanOf(channels[2 * channel] as number) + distance;
  learn(channels, channel, distance, coded);
  return after;
}

function meanOf(mean: number): number {
  return (mean + 8) >> 4;
}

/** Bits of a code after its ones: best where distances are geometrically distributed about their mean. */
function widthOf(size: number): number {
  return 31 - Math.clz32(((size * 11) >> 8) | 1);
}

/** Odd numbers move both means little. */
function learn(channels: Channels | Int32Array, channel: number, distance: number, coded: number): void {
  const size = channels[2 * channel + 1] as number;
  const most = (size >> 3) + 32;
  channels[2 * channel] = (channels[2 * channel] as number) + Math.max(-most, Math.min(most, distance));
  channels[2 * channel + 1] = size + Math.min(coded, (size >> 2) + 32) - (size >> 4);
}
