import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Result } from '#contract/result.ts';
import { kalasearchSeed } from '#tests/lab/seeds/kalasearch.ts';
import { nginxSeed } from '#tests/lab/seeds/nginx.ts';
import { tableOf } from '#tests/lab/seeds/report.ts';
import type { Measured, Row, Seed } from '#tests/lab/seeds/seed.ts';
import { semicompleteSeed } from '#tests/lab/seeds/semicomplete.ts';
import { trusterdSeed } from '#tests/lab/seeds/trusterd.ts';

const ROOT = path.join(import.meta.dirname, '../../..');

/** What `npm run seeds -- NAME --record tests/fixtures/seeds` measured in the lab. */
function recorded(name: string): Measured {
  const file = path.join(ROOT, 'tests/fixtures/seeds', `${name}.json.gz`);
  const { results, figures }: Measured = JSON.parse(gunzipSync(readFileSync(file)).toString());
  const parsed = Object.entries(results).map(([state, own]) => [state, Result.array().parse(own)] as const);
  return { results: Object.fromEntries(parsed), figures };
}

/** The recorded Results with one round trip more in every handshake, by count and by time. */
function slower({ results, figures }: Measured): Measured {
  const slow = (result: Result): Result => {
    const { roundTrips, marks, phases } = result;
    const rttMs = phases.tcp ?? 0;
    const later = (ms: number | null | undefined) => (ms == null ? null : ms + rttMs);
    const took = (roundTrips?.tls.took ?? 0) + 1;
    return {
      ...result,
      ...(roundTrips ? { roundTrips: { ...roundTrips, tls: { ...roundTrips.tls, took } } } : {}),
      phases: { ...phases, tls: later(phases.tls) },
      marks: { ...marks, appconnect: later(marks.appconnect), starttransfer: later(marks.starttransfer) },
    };
  };
  const changed = Object.entries(results).map(([state, own]) => [state, own.map(slow)] as const);
  return { results: Object.fromEntries(changed), figures };
}

const judged = new Map<string, Row[]>();

/** The rows of what was recorded, judged once. */
function rowsOf(name: string, seed: Seed): Row[] {
  const rows = judged.get(name) ?? seed.rowsOf(recorded(name));
  judged.set(name, rows);
  return rows;
}

const missedOf = (rows: readonly Row[]) =>
  rows.flatMap((row) => (row.holds ? [] : [`${row.what}: ${row.measured}, not ${row.expected}`]));

describe('the published experiments, by Results recorded in the lab', () => {
  it.each([
    ['nginx', nginxSeed, 4],
    ['kalasearch', kalasearchSeed, 11],
    ['semicomplete', semicompleteSeed, 4],
    ['trusterd', trusterdSeed, 2],
  ] as const)('%s: every figure holds, and the product has a sentence for it', (name, seed, count) => {
    const rows = rowsOf(name, seed);
    expect(rows).toHaveLength(count);
    expect(missedOf(rows)).toEqual([]);
    for (const { sentences } of rows) expect(sentences.join(' ')).toMatch(/^[A-Za-z].{5,}/);
  });

  it.each([
    ['nginx', nginxSeed, 4],
    ['semicomplete', semicompleteSeed, 4],
  ] as const)('%s: a round trip more is missed', (name, seed, rows) => {
    expect(missedOf(seed.rowsOf(slower(recorded(name))))).toHaveLength(rows);
  });

  it('KalaSearch: a change that did nothing is missed where one round trip less is expected', () => {
    const { results, figures } = recorded('kalasearch');
    const nothing = { results: { ...results, tls13: results.before ?? [] }, figures };
    expect(missedOf(kalasearchSeed.rowsOf(nothing)).map((line) => line.split(':')[0])).toEqual([
      'TLS 1.3, not in the article',
      'TLS 1.3, not in the article',
    ]);
  });

  it('KalaSearch: the sentences are honest where a change did nothing', () => {
    const rows = rowsOf('kalasearch', kalasearchSeed);
    const saidOf = (what: string) => rows.find((row) => row.what === what)?.sentences.join(' ');
    expect(saidOf('order of ciphers: handshake')).toContain('no difference that can be told');
    expect(saidOf('order of ciphers: handshake')).toContain('no round trip less or more');
    expect(saidOf('all five together: handshake')).toContain('no difference that can be told');
    expect(saidOf('session cache, second visit: handshake')).toContain('one round trip less');
    expect(saidOf('TLS 1.3, not in the article: handshake')).toContain('one round trip less, as TLS 1.3 predicts');
  });

  it('nginx 1.4.4 is advised what made it faster', () => {
    const [oldest] = rowsOf('nginx', nginxSeed);
    const said = oldest?.sentences.join('\n');
    expect(said).toContain('Switch on TLS 1.3');
    expect(said).toContain('The server holds back small segments');
    expect(said).toContain('TLS records are larger than the first window');
  });

  it('a table says what is missed', () => {
    const table = tableOf(nginxSeed, nginxSeed.rowsOf(slower(recorded('nginx'))));
    expect(table).toContain('MISSED  nginx 1.5.7');
    expect(table).toContain('published 2,300 ms');
  });
});

describe('npm run seeds', () => {
  it.each([
    [['nosuch'], 'There is no experiment nosuch.'],
    [['nginx', '--into', 'http://127.0.0.1:1'], '--into takes the experiment kalasearch alone.'],
    [['kalasearch', '--into', 'nowhere'], '--into nowhere is no http or https address.'],
    [['kalasearch', '--into', 'http://127.0.0.1:1'], '--into needs --token'],
  ])('%j is refused with a sentence', async (args, sentence) => {
    const run = promisify(execFile)(process.execPath, [path.join(ROOT, 'tests/lab/seeds/main.ts'), ...args], {
      env: { ...process.env, ROUNDTRIP_TOKEN: '' },
    });
    await expect(run).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) });
  });
});
