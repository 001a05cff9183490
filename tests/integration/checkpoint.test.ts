import { describe, expect, it } from 'vitest';
import { createDetector } from '#analysis/detection/detector.ts';
import { getPool } from '#server/database/database.ts';
import { Checkpoints, loadCheckpoint, saveCheckpoint } from '#server/detection/checkpoint.ts';
import { noise } from '../support/detecting.ts';
import { isLong } from '../support/extent.ts';
import { prepareTestDatabase } from '../support/prepare.ts';

prepareTestDatabase();

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
    await new Checkpoints(Math.ceil(size / 7)).save({ seq: 2, to: 200, state: detector.state(), late: 4 });
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
    await new Checkpoints(1).save({ seq: 20, to: 300, state: state(), late: 0 });
    saving = false;
    expect(new Set(written).size).toBe(21);
  });

  it.runIf(isLong)('may be longer than any array of bytes that is packed at once', async () => {
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
  });

  describe('after others', () => {
    const bytesBySeq = async () =>
      (
        await getPool().query<{ seq: number; bytes: number }>(
          'select seq::int as seq, sum(length(state))::int as bytes from detector_checkpoint group by seq order by seq',
        )
      ).rows;
    const kept = (pieces: Iterable<string | Uint8Array> | undefined) =>
      Array.from(pieces ?? [], (piece) => Buffer.from(piece));
    const noisy = noise(3);
    let seq = 100;
    let now = 1_767_542_400;

    /** Lets a detector of so many series go on for so many minutes. */
    function live(detector: ReturnType<typeof createDetector>, series: number, minutes: number) {
      for (let minute = 0; minute < minutes; minute++) {
        now += 60;
        const samples = Array.from({ length: series }, (_, index) => {
          const sample = { timestamp: now, tcp: noisy(40), tls: noisy(45), firstByte: noisy(50), ok: true };
          return { index, sample };
        });
        detector.advance(now, samples);
      }
    }
    const save = (checkpoints: Checkpoints, detector: ReturnType<typeof createDetector>) => {
      seq += 10;
      return checkpoints.save({ seq, to: now, state: detector.state(), late: 0 });
    };

    it('has what changed, and new series, until that is as much as all of it; it is read as it was each time', async () => {
      const detector = detectorOf(20);
      live(detector, 20, 1_600);
      const checkpoints = new Checkpoints(20_000);
      await save(checkpoints, detector);
      const [whole = { seq, bytes: 0 }] = await bytesBySeq();
      expect((await bytesBySeq()).length).toBe(1);
      let differences = 0;
      for (let count = 21; count <= 60; count++) {
        detector.indexOf({ target: `t${count - 1}`, vantage: 'v', country: 'CN', region: 'r', carrier: 'c' });
        live(detector, count, count % 4 === 0 ? 70 : 10);
        await save(checkpoints, detector);
        const read = await loadCheckpoint();
        expect(read?.seq).toBe(seq);
        expect(Buffer.concat(kept(read?.state)).equals(Buffer.concat(kept(detector.state())))).toBe(true);
        const stored = await bytesBySeq();
        if (stored.length === 1) break;
        differences += 1;
        if (count === 21) expect(stored[1]?.bytes).toBeLessThan(whole.bytes * 0.3);
      }
      expect(differences).toBeGreaterThanOrEqual(3);
      expect(await bytesBySeq()).toHaveLength(1);
    });

    it('is whole where the one before is not its own, and left aside where that one is gone', async () => {
      const detector = detectorOf(5);
      live(detector, 5, 100);
      const [mine, other] = [new Checkpoints(), new Checkpoints()];
      await save(mine, detector);
      await save(other, detector);
      live(detector, 5, 10);
      await save(mine, detector);
      expect(await bytesBySeq()).toHaveLength(1);
      const before = kept((await loadCheckpoint())?.state);
      live(detector, 5, 10);
      await save(mine, detector);
      const [whole, difference] = await bytesBySeq();
      expect(difference?.seq).toBe(seq);
      // As another process leaves it that stored a whole one meanwhile.
      await getPool().query('update detector_checkpoint set seq = $2 where seq = $1', [whole?.seq, seq - 1]);
      const read = await loadCheckpoint();
      expect(read?.seq).toBe(seq - 1);
      expect(kept(read?.state)).toEqual(before);
    });

    it('is whole after one that could not be stored', async () => {
      const detector = detectorOf(5);
      live(detector, 5, 100);
      const checkpoints = new Checkpoints();
      await save(checkpoints, detector);
      live(detector, 5, 10);
      function* failing() {
        yield* Iterator.from(detector.state()).take(3);
        throw new Error('in the middle');
      }
      await expect(checkpoints.save({ seq: seq + 1, to: now, state: failing(), late: 0 })).rejects.toThrow('middle');
      live(detector, 5, 10);
      await save(checkpoints, detector);
      expect(await bytesBySeq()).toHaveLength(1);
      expect(kept((await loadCheckpoint())?.state)).toEqual(kept(detector.state()));
    });
  });
});
