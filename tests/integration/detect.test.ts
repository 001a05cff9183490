import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { drawAll, writeSamples } from '../bench/detect/worlds.ts';
import { prepareFolder } from '../support/folder.ts';
import { roundtrip } from '../support/roundtrip.ts';

const HEADER = 'timestamp,target,province,carrier,dns_ms,connect_ms,tls_ms,ttfb_ms,ok';
const START = 1_767_542_400;
const inFolder = (name: string) => path.join(folder, name);

const folder = prepareFolder('detect');

const roundtripDetect = (args: string[], input = '') => roundtrip(['detect', ...args], { input });

/** Two days of two targets, a probe in two minutes; the first target takes twice as long on the path for an hour. */
function samples(): string {
  const rows = [HEADER];
  for (const target of ['shop', 'pay']) {
    for (let at = START; at < START + 2 * 86_400; at += 120) {
      const jitter = 1 + ((at / 120) % 7) / 100;
      const path = target === 'shop' && at >= START + 130_000 && at < START + 133_600 ? 2 : 1;
      const trip = (50 * jitter * path).toFixed(1);
      const failed = at % 24_000 === 0;
      rows.push(`${at},${target},Beijing,telecom,3.1,${trip},${failed ? ',' : `${trip},${trip}`},${failed ? 0 : 1}`);
    }
  }
  return `${rows.join('\n')}\n`;
}

describe('roundtrip detect', () => {
  it('writes what it finds, a JSON object a line, and says what it did', async () => {
    await writeFile(inFolder('samples.csv'), samples());
    const { status, stderr, stdout } = await roundtripDetect([
      '--in',
      inFolder('samples.csv'),
      '--out',
      inFolder('detections.jsonl'),
    ]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(stderr).toMatch(/^2880 samples of 2 series: 1 spikes, 0 regressions, 0 improvements in 1 incidents; /);
    const written = await readFile(inFolder('detections.jsonl'), 'utf8');
    expect(written.endsWith('}\n')).toBe(true);
    expect(JSON.parse(written)).toEqual({
      target: 'shop',
      province: 'Beijing',
      carrier: 'telecom',
      kind: 'spike',
      at: START + 130_320,
      cause: 'network',
      incident: expect.any(String),
      change_at: START + 130_080,
    });
  });

  it('finds in a generated world what it found before, byte for byte', async () => {
    const fixture = path.join(import.meta.dirname, '../fixtures/detect/bursty-2.jsonl');
    await writeSamples(inFolder('world.csv'), drawAll('bursty', 2, 8));
    const { status, stdout } = await roundtripDetect(['--in', inFolder('world.csv')]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: await readFile(fixture, 'utf8') });
  });

  it('reads standard input and writes standard output', async () => {
    const { status, stdout } = await roundtripDetect(['--in', '-', '--out', '-'], samples().replaceAll('\n', '\r\n'));
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ target: 'shop', kind: 'spike' });
  });

  it('sorts rows that come after later ones of their series, and counts them', async () => {
    const inOrder = samples();
    const rows = inOrder.trimEnd().split('\n');
    for (let at = 10; at + 1 < rows.length; at += 100) {
      const [a = '', b = ''] = rows.slice(at, at + 2);
      rows.splice(at, 2, b, a);
    }
    const expected = await roundtripDetect(['--in', '-'], inOrder);
    const { status, stdout, stderr } = await roundtripDetect(['--in', '-'], rows.join('\n'));
    expect({ status, stdout }).toEqual({ status: 0, stdout: expected.stdout });
    expect(stderr).toMatch(/^29 rows came after later ones of their series: sorted by time$/m);
  });

  it.each([
    ['nothing', '', 'the file is empty; its first line is to be timestamp,'],
    ['another header', 'timestamp,target,region\n', 'line 1: column 3 of the header is "region" instead of "province"'],
    ['a header that ends early', 'timestamp,target\n', 'line 1: column 3 of the header is missing'],
    ['too few cells', `${HEADER}\n1,a,b,c,1,2,3,1\n`, 'line 2: 8 cells instead of 9'],
    ['a time that is none', `${HEADER}\n2026-01-05,a,b,c,1,2,3,4,1\n`, 'line 2: column timestamp: "2026-01-05" is not'],
    ['no time', `${HEADER}\n,a,b,c,1,2,3,4,1\n`, 'line 2: column timestamp: "" is not a whole number of seconds'],
    ['no target', `${HEADER}\n1,,b,c,1,2,3,4,1\n`, 'line 2: column target: "" is empty'],
    [
      'a duration that is none',
      `${HEADER}\n1,a,b,c,1,2,fast,4,1\n`,
      'line 2: column tls_ms: "fast" is not a number of',
    ],
    ['a duration below 0', `${HEADER}\n1,a,b,c,1,-2,3,4,1\n`, 'line 2: column connect_ms: "-2" is not a number of'],
    ['neither ok nor not', `${HEADER}\n1,a,b,c,1,2,3,4,yes\n`, 'line 2: column ok: "yes" is neither 0 nor 1'],
    [
      'a row without the cells of its own columns',
      `${HEADER},note\n9,a,b,c,1,2,3,4,1,x\n10,a,b,c,1,2,3,4,1\n`,
      'line 3: 9 cells instead of 10',
    ],
    ['too many cells', `${HEADER}\n1,a,b,c,1,2,3,4,1,5\n`, 'line 2: 10 cells instead of 9'],
    [
      'a series in two parts',
      `${HEADER}\n1,a,b,c,1,2,3,4,1\n1,x,b,c,1,2,3,4,1\n2,a,b,c,1,2,3,4,1\n`,
      'line 4: the rows of a from b, c are not together',
    ],
    ['a line without end', `${HEADER}\n${'1'.repeat(5_000)}`, 'line 2: longer than 4096 characters'],
  ])('says what is wrong with %s', async (_name, text, message) => {
    const { status, stderr, stdout } = await roundtripDetect(['--in', '-'], text);
    expect(stderr.startsWith(`roundtrip: ${message}`), stderr).toBe(true);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  });

  it('says which file cannot be read or written', async () => {
    const none = await roundtripDetect(['--in', inFolder('none.csv')]);
    expect(none).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^roundtrip: .*none\.csv cannot be read: ENOENT/),
    });
    await writeFile(inFolder('one.csv'), `${HEADER}\n1,a,b,c,1,2,3,4,1\n`);
    const out = await roundtripDetect(['--in', inFolder('one.csv'), '--out', path.join(folder, 'no/out.jsonl')]);
    expect(out).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^roundtrip: .*out\.jsonl cannot be written: ENOENT/),
    });
  });
});
