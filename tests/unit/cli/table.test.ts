import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { padded, row, shownWidth } from '#cli/probe/layout.ts';
import { paintFor } from '#cli/probe/paint.ts';
import { planOf } from '#cli/probe/plan.ts';
import { tableOf } from '#cli/probe/table.ts';
import { Result } from '#contract/result.ts';
import { makeResult } from '../../support/results.ts';
import { TEST_VANTAGE } from '../../support/tls-target.ts';

const options = { threads: 1, json: false, explain: false, resume: false, insecure: false, http: true };
const probed = (url: string, results: Result[], count = 1) => ({
  plan: planOf(url, { ...options, count }),
  results: results.map((result) => [result]),
});
const made = (tls: number, more: Partial<Result> = {}) => {
  const where = { targetId: TEST_VANTAGE.id, vantage: TEST_VANTAGE };
  return Result.parse({ ...makeResult({ ...where, startedAt: Date.parse('2026-11-21T08:00:00Z'), tls }), ...more });
};
const failure = { phase: 'tls', reason: 'tls_alert', source: 'target', message: '证书\u001b[31m 无效' } as const;

describe('a table of several URLs', () => {
  it('has a column for each thing, in line with its heading, also where colour is on', () => {
    const all = [probed('https://a.example/', [made(12.34)]), probed('https://longer.example/path', [made(200)])];
    for (const colour of [false, true]) {
      const table = tableOf(all, paintFor(colour));
      const [title = '', ...rows] = `${all.map((each) => table.after(each)).join('')}${table.conclusion()}`
        .trim()
        .split('\n');
      expect(rows).toHaveLength(2);
      const lines = [title, ...rows].map((line) => stripVTControlCharacters(line).trim());
      expect(lines.map((line) => line.split(/\s{2,}/)).map(([url, state, , , tls]) => [url, state, tls])).toEqual([
        ['URL', 'state', 'tls'],
        ['https://a.example/', 'ok', '12.3'],
        ['https://longer.example/path', 'ok', '200.0'],
      ]);
      const ends = ['tls', '12.3', '200.0'].map((text, index) => (lines[index]?.indexOf(text) ?? 0) + text.length);
      expect(new Set(ends).size).toBe(1);
    }
  });

  it('shows medians of what succeeded, and what is wrong, harmless to a terminal', () => {
    const results = [made(10), made(30), made(20), made(1, { ok: false, failure })];
    const table = tableOf([probed('https://a.example/', results, 4)], paintFor(false));
    const all = probed('https://a.example/', results, 4);
    const [, line = ''] = table.after(all).split('\n');
    expect(line).toMatch(/FAILED .* 20\.0 /);
    expect(line).toContain('tls_alert: 证书\ufffd[31m 无效 (1 of 4 probes failed)');
  });

  it('prints a row once its last probe has ended, and at the end those that were cut short', () => {
    const [done, begun, idle] = [
      probed('https://a.example/', [made(1)], 1),
      probed('https://b.example/', [made(2)], 2),
      probed('https://c.example/', [], 2),
    ] as const;
    const table = tableOf([done, begun, idle], paintFor(false));
    expect(table.after(done).split('\n')).toHaveLength(3);
    expect(table.after(begun)).toBe('');
    expect(table.conclusion()).toMatch(/^ {2}https:\/\/b\.example\/ .*\n$/);
  });
});

describe('a cell', () => {
  it('has its width in columns: East Asian letters take two', () => {
    expect(
      ['abcd', '中文', '\u001b[31mab\u001b[0m', 'e\u0301é', '超过宽度'].map((text) => shownWidth(padded(text, 4))),
    ).toEqual([4, 4, 4, 4, 8]);
    expect(row('标签', '文', 10)).toBe('  标签    文');
  });
});
