import { zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDetector } from '#analysis/detection/detector.ts';
import { getPool } from '#server/database/database.ts';
import { loadCheckpoint, saveCheckpoint } from '#server/detection/checkpoint.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

/** A detector that knows so many series. */
function detectorOf(series: number) {
  const detector = createDetector();
  for (let n = 0; n < series; n++)
    detector.indexOf({ target: `t${n}`, vantage: 'v', country: 'CN', region: 'r', carrier: 'c' });
  return detector;
}

const partsOf = async () => (await getPool().query('select parts from detector_checkpoint')).rows;

describe('a checkpoint', () => {
  it('in several parts is read as it was, and takes the place of the one before', async () => {
    const detector = detectorOf(50);
    const state = () => [...detector.state()];
    await saveCheckpoint({ seq: 1, to: 100, state: detectorOf(3).state(), late: 0 });
    expect(await partsOf()).toEqual([{ parts: 1 }]);
    const size = state().reduce((sum, { length }) => sum + length, 0);
    await saveCheckpoint({ seq: 2, to: 200, state: detector.state(), late: 4 }, Math.ceil(size / 7));
    const parts = await partsOf();
    expect(parts.length).toBeGreaterThanOrEqual(6);
    expect(parts.every((row) => row.parts === parts.length)).toBe(true);
    const read = await loadCheckpoint();
    expect(read).toMatchObject({ seq: 2, to: 200, late: 4 });
    expect([...(read?.state ?? [])]).toEqual(state());
  });

  it('lets the event loop turn while it is packed', async () => {
    let turns = 0;
    let saving = true;
    const turn = () => {
      turns += 1;
      if (saving) setImmediate(turn);
    };
    setImmediate(turn);
    const written: number[] = [];
    function* state() {
      for (const text of detectorOf(20).state()) {
        written.push(turns);
        yield text;
      }
    }
    await saveCheckpoint({ seq: 20, to: 300, state: state(), late: 0 }, 1);
    saving = false;
    expect(new Set(written).size).toBe(21);
  });

  it('may be longer than any array of bytes that is packed at once', async () => {
    const [head, line] = [...detectorOf(1).state()] as [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>];
    const filler = new Uint8Array(1_000_000);
    const pieces = 600;
    function* state() {
      yield head;
      for (let n = 0; n < pieces; n++) yield filler;
      yield line;
    }
    expect(pieces * filler.length).toBeGreaterThan(536_870_888);
    await saveCheckpoint({ seq: 30, to: 300, state: state(), late: 0 });
    let count = 0;
    let last: string | Uint8Array = '';
    for (const piece of (await loadCheckpoint())?.state ?? []) {
      count += 1;
      last = piece;
    }
    expect({ count, last: Uint8Array.from(last as Uint8Array) }).toEqual({ count: 1 + pieces + 1, last: line });
  }, 120_000);

  it('that an earlier version wrote, as texts, is read', async () => {
    const head = '{"version":5,"groups":[],"closed":[],"slot":-1,"now":-1}';
    const bytes = zstdCompressSync(Buffer.from(head));
    await getPool().query('delete from detector_checkpoint');
    await getPool().query(
      `insert into detector_checkpoint (seq, part, parts, "to", state, late) values (40, 0, 1, 300, $1, 0)`,
      [bytes],
    );
    const read = await loadCheckpoint();
    expect([...(read?.state ?? [])]).toEqual([...createDetector().state()]);
  });
});
