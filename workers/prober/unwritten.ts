import { setImmediate as breathe } from 'node:timers/promises';
import { lineOf } from './records.ts';

/** The records of a spool that are not on disk, in their order; they are numbered from 0 as they are appended. */
export class Unwritten {
  #records: Buffer[] = [];
  #first = 0;
  #bytes = 0;

  get count(): number {
    return this.#records.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a record. The oldest go while there are more bytes than `most`, but never the last one: how many went. */
  add(record: Buffer, most: number): number {
    this.#records.push(record);
    this.#bytes += record.length;
    let gone = 0;
    for (; this.#bytes > most && this.#records.length > 1; gone += 1) this.forget(this.#first + 1);
    return gone;
  }

  /** Removes the records that come before this number. */
  forget(number: number): void {
    const gone = this.#records.splice(0, Math.max(0, number - this.#first));
    this.#first += gone.length;
    for (const record of gone) this.#bytes -= record.length;
  }

  /** From the front as many records as `most` bytes hold, one at least; `end` is the number after them. */
  piece(most: number): { records: Buffer[]; end: number } {
    let bytes = 0;
    const over = this.#records.findIndex((record) => {
      bytes += record.length;
      return bytes > most;
    });
    return this.#take(over < 0 ? this.#records.length : Math.max(1, over));
  }

  /** The oldest, `max` at most, as they were appended. */
  async lines(max: number): Promise<{ lines: string[]; end: number }> {
    const { records, end } = this.#take(max);
    const lines: string[] = [];
    for (const [index, record] of records.entries()) {
      lines.push(lineOf(record));
      if (index % 25 === 24) await breathe(); // probes in flight get to stamp their arrivals
    }
    return { lines, end };
  }

  #take(count: number): { records: Buffer[]; end: number } {
    const records = this.#records.slice(0, count);
    return { records, end: this.#first + records.length };
  }
}
