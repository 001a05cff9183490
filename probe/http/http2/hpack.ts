import { AnswerError } from '#contract/http1-answer.ts';
import { decodeHuffman } from './huffman.ts';
import { STATIC_TABLE } from './static-table.ts';

export type Field = readonly [name: string, value: string];

/** Bytes of the table of fields that the server may refer back to: the size that HTTP/2 starts with. */
const TABLE_BYTES = 4_096;
/** What each field counts besides its text (RFC 7541, section 4.1). */
const FIELD_OVERHEAD = 32;

/** First bits of a field that no table takes; the second kind asks proxies never to keep it either (secrets). */
const NOT_INDEXED = 0x00;
const NEVER_INDEXED = 0x10;

/**
 * Decodes the header blocks of one connection, in order (RFC 7541). Its own table holds 4 kB; a block's fields may take
 * `maxBytes`, each counted with 32 bytes more. Throws an AnswerError for a block that breaks the rules or is larger.
 */
export class HpackDecoder {
  readonly #maxBytes: number;
  readonly #table: Field[] = [];
  #tableBytes = 0;
  #tableLimit = TABLE_BYTES;
  #block: Uint8Array = new Uint8Array();
  #offset = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  decode(block: Uint8Array): Field[] {
    this.#block = block;
    this.#offset = 0;
    const fields: Field[] = [];
    let bytes = 0;
    while (this.#offset < block.length) {
      const field = this.#next();
      if (!field) continue;
      bytes += sizeOf(field);
      if (bytes > this.#maxBytes) {
        throw new AnswerError('http_too_large', `the headers take more than ${this.#maxBytes} bytes`);
      }
      fields.push(field);
    }
    return fields;
  }

  /** The next field, or null for a change of the table's size. */
  #next(): Field | null {
    const first = this.#block[this.#offset] ?? 0;
    if (first & 0x80) return this.#at(this.#integer(7));
    if ((first & 0xe0) === 0x20) {
      this.#resize(this.#integer(5));
      return null;
    }
    const kept = (first & 0x40) !== 0;
    const index = this.#integer(kept ? 6 : 4);
    const name = index === 0 ? this.#text() : this.#at(index)[0];
    const field = [name, this.#text()] as const;
    if (kept) this.#keep(field);
    return field;
  }

  #at(index: number): Field {
    const field = index <= STATIC_TABLE.length ? STATIC_TABLE[index - 1] : this.#table[index - STATIC_TABLE.length - 1];
    return field ?? broken(`names entry ${index} of a table that has none`);
  }

  #keep(field: Field): void {
    this.#table.unshift(field);
    this.#tableBytes += sizeOf(field);
    this.#evict();
  }

  #resize(limit: number): void {
    if (limit > TABLE_BYTES) broken(`wants a table of ${limit} bytes`);
    this.#tableLimit = limit;
    this.#evict();
  }

  #evict(): void {
    while (this.#tableBytes > this.#tableLimit) {
      const oldest = this.#table.pop();
      if (!oldest) break;
      this.#tableBytes -= sizeOf(oldest);
    }
  }

  #integer(prefixBits: number): number {
    const mask = 2 ** prefixBits - 1;
    let value = this.#byte() & mask;
    if (value < mask) return value;
    // Three more bytes hold over two million: more than any length or index here.
    for (let shift = 0; shift < 21; shift += 7) {
      const byte = this.#byte();
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return broken('holds a number that is too large');
  }

  #text(): string {
    const huffman = ((this.#block[this.#offset] ?? 0) & 0x80) !== 0;
    const length = this.#integer(7);
    const end = this.#offset + length;
    if (end > this.#block.length) broken('ends within a field');
    const bytes = this.#block.subarray(this.#offset, end);
    this.#offset = end;
    if (!huffman) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    return decodeHuffman(bytes) ?? broken('holds a text that is no Huffman code');
  }

  #byte(): number {
    return this.#block[this.#offset++] ?? broken('ends within a field');
  }
}

/** One header block of these fields, in plain text (latin1) and without any table. `secret` ones say that they are. */
export function encodeFields(fields: readonly Field[], secret: (name: string) => boolean): Buffer {
  // Put together as one character a byte: one buffer is cheaper than three for each field.
  let block = '';
  for (const [name, value] of fields) {
    block += String.fromCharCode(secret(name) ? NEVER_INDEXED : NOT_INDEXED) + encodeText(name) + encodeText(value);
  }
  return Buffer.from(block, 'latin1');
}

function encodeText(text: string): string {
  if (text.length < 0x7f) return String.fromCharCode(text.length) + text;
  let length = '\x7f';
  let left = text.length - 0x7f;
  for (; left >= 0x80; left >>= 7) length += String.fromCharCode((left & 0x7f) | 0x80);
  return length + String.fromCharCode(left) + text;
}

function sizeOf([name, value]: Field): number {
  return name.length + value.length + FIELD_OVERHEAD;
}

function broken(what: string): never {
  throw new AnswerError('http_protocol', `the server's header block ${what}`);
}
