/** Bits of the code of each byte (RFC 7541, appendix B). The code is canonical, so that its lengths say all of it. */
// biome-ignore format: sixteen bytes a line
const LENGTHS = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
  28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
  5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
  7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
  15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
  6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
  20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
  24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
  22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
  21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
  26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
  19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
  20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
  26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
];
/** The 257th symbol, 30 ones, ends nothing in a header: its first bits pad the last byte. */
const LONGEST = 30;
const MOST_PADDING = 7;

/** For each length: its first code, how many codes it has, and where their bytes begin in `SYMBOLS`. */
const FIRST: number[] = [];
const COUNT: number[] = [];
const OFFSET: number[] = [];
const SYMBOLS: number[] = [];

let code = 0;
for (let bits = 0; bits <= LONGEST; bits += 1) {
  const symbols = LENGTHS.flatMap((length, symbol) => (length === bits ? [symbol] : []));
  FIRST.push(code);
  COUNT.push(symbols.length);
  OFFSET.push(SYMBOLS.length);
  SYMBOLS.push(...symbols);
  code = (code + symbols.length) * 2;
}

/** The text that these bytes encode, one character a byte (latin1); null where they are no such code. */
export function decodeHuffman(bytes: Uint8Array): string | null {
  const decoded: number[] = [];
  let value = 0;
  let bits = 0;
  for (const byte of bytes) {
    for (let shift = 7; shift >= 0; shift -= 1) {
      value = value * 2 + ((byte >> shift) & 1);
      bits += 1;
      const index = value - (FIRST[bits] ?? 0);
      if (index >= 0 && index < (COUNT[bits] ?? 0)) {
        decoded.push(SYMBOLS[(OFFSET[bits] ?? 0) + index] ?? 0);
        value = 0;
        bits = 0;
      } else if (bits >= LONGEST) return null;
    }
  }
  if (bits > MOST_PADDING || value !== 2 ** bits - 1) return null;
  return Buffer.from(decoded).toString('latin1');
}
