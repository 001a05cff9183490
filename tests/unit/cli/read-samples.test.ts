import { describe, expect, it } from 'vitest';
import { byTime } from '#cli/detect/merge.ts';
import { HEADER, readSamples } from '#cli/detect/read-samples.ts';
import { chance } from '../../support/history.ts';

/** A text in pieces of some characters, as a file comes. */
async function* piecesOf(text: string, length = 1_000): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}

const instantsIn = async (text: string, length?: number) => [...byTime(await readSamples(piecesOf(text, length)))];

/** Rows of three series, each 20 to 40 s after the one before it. */
function rowsOf(random: () => number): string[][] {
  return ['a', 'b', 'c'].map((target) => {
    let at = 1_767_542_400;
    return Array.from({ length: 60 }, () => {
      at += 20 + Math.floor(20 * random());
      const ok = random() < 0.9;
      const phases = ok ? [10, 20, 30].map((ms) => (ms * (1 + random())).toFixed(3)).join(',') : ',,';
      return `${at},${target},Beijing,telecom,1,${phases},${ok ? 1 : 0}`;
    });
  });
}

/** The rows as if each had been written up to some seconds late. */
function shuffled(rows: readonly string[], seconds: number, random: () => number): string[] {
  const written = rows.map((row) => ({ row, at: Number(row.split(',')[0]) + seconds * random() }));
  return written.sort((a, b) => a.at - b.at).map(({ row }) => row);
}

describe('samples of a file', () => {
  it('are the same ones in the same order, however rows of a series were shuffled within some seconds', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const random = chance(seed);
      const series = rowsOf(random);
      const text = (rows: string[][]) => `${HEADER}\n${rows.flat().join('\n')}\n`;
      const expected = await instantsIn(text(series));
      expect(expected.flatMap(({ samples }) => samples)).toHaveLength(180);
      const mixed = series.map((rows) => shuffled(rows, 90, random));
      expect(mixed).not.toEqual(series);
      expect(await instantsIn(text(mixed))).toEqual(expected);
    }
  });

  it('are counted where they came after a later one of their series', async () => {
    const rows = [30, 10, 20, 40, 35].map((at) => `${at},a,b,c,1,2,3,4,1`);
    const [columns] = await readSamples(piecesOf(`${HEADER}\n${rows.join('\n')}`));
    expect(columns?.early).toBe(3);
    expect([0, 1, 2, 3, 4].map((index) => columns?.timestampAt(index))).toEqual([10, 20, 30, 35, 40]);
  });

  it('keep their own phases and outcome when they are sorted, and those of one second their order', async () => {
    const text = `${HEADER}\n30,a,b,c,1,2,3,4,1\n20,a,b,c,1,,,,0\n20,a,b,c,1,5,6,7,1\n`;
    const [columns] = await readSamples(piecesOf(text));
    expect([0, 1, 2].map((index) => columns?.sampleAt(index))).toEqual([
      { timestamp: 20, tcp: null, tls: null, firstByte: null, ok: false },
      { timestamp: 20, tcp: 5, tls: 6, firstByte: 7, ok: true },
      { timestamp: 30, tcp: 2, tls: 3, firstByte: 4, ok: true },
    ]);
  });

  it('may come with a byte order mark, CRLF, empty lines, columns of others, no last line end, and in any pieces', async () => {
    const plain = `${HEADER}\n10,a,b,c,1,2,3,4,1\n40,a,b,c,1,2,3,4,1\n`;
    const expected = await instantsIn(plain);
    const forms = [
      `\uFEFF${plain}`,
      plain.replaceAll('\n', '\r\n'),
      plain.replaceAll('\n', '\n\n'),
      plain.trimEnd(),
      `${HEADER},note,asn\n10,a,b,c,1,2,3,4,1,x,4134\n40,a,b,c,1,2,3,4,1,,\n`,
    ];
    for (const form of forms)
      for (const length of [1, 7, 1_000]) expect(await instantsIn(form, length)).toEqual(expected);
  });

  it('may be none', async () => {
    expect(await instantsIn(`${HEADER}\n`)).toEqual([]);
  });
});
