import { afterEach, describe, expect, it } from 'vitest';
import { phaseBars } from '#cli/probe/bars.ts';
import { comparisonText } from '#cli/probe/compare.ts';
import type { Probed } from '#cli/probe/in-turn.ts';
import { fitInto, row } from '#cli/probe/layout.ts';
import { paintFor } from '#cli/probe/paint.ts';
import type { Plan } from '#cli/probe/plan.ts';
import { fixLines, judgementOf, verdictLines } from '#cli/probe/verdict.ts';
import { waterfalls } from '#cli/probe/waterfall.ts';
import { whatIfLines } from '#cli/probe/what-if.ts';
import { Result } from '#contract/result.ts';
import { ProbeSettings } from '#contract/target.ts';
import { makeResult } from '../../support/results.ts';
import { TEST_VANTAGE } from '../../support/tls-target.ts';

const plain = paintFor(false);
const settings = ProbeSettings.parse({});
const flowing = (lines: string[] | string) => [lines].flat().join(' ').replace(/\s+/g, ' ');
const trips = (took: number, expected: number) => ({ took, expected });

afterEach(() => fitInto({}));

const R = 380;
/** nginx 1.4's page at 380 ms: TLS 1.2, a chain that takes a second flight, a record that takes another. */
function legacy(more: Partial<Result> = {}): Result {
  const made = makeResult({
    targetId: TEST_VANTAGE.id,
    vantage: TEST_VANTAGE,
    startedAt: Date.UTC(2026, 10, 21),
    tls: 1_145,
  });
  if (!made.tls || !made.http) throw new Error('the made result has no handshake');
  const window = { segments: 10, bytes: 14_480, exact: true };
  return Result.parse({
    ...made,
    vantage: null,
    targetId: null,
    phases: { dns: 1, tcp: R, tls: 3 * R + 5, firstByte: 2 * R + 3, download: 4, total: 2_293 },
    marks: {
      namelookup: 1,
      connect: R + 1,
      appconnect: 4 * R + 6,
      pretransfer: 4 * R + 6,
      starttransfer: 6 * R + 9,
      total: 2_293,
    },
    network: { ...made.network, minRttMs: R, rttMs: R, retransmits: 0 },
    tls: {
      ...made.tls,
      wire: [],
      version: 'TLSv1.2',
      cipher: 'TLS_RSA_WITH_AES_128_CBC_SHA',
      alpn: 'http/1.1',
      certificate: made.tls.certificate && { ...made.tls.certificate, chainBytes: 15_000 },
      hellos: {
        clientBytes: 1_500,
        offeredVersions: ['TLSv1.3', 'TLSv1.2'],
        offeredGroups: ['X25519'],
        keyShares: ['X25519'],
        offeredAlpn: ['h2', 'http/1.1'],
        serverLegacyVersion: 'TLSv1.2',
      },
      handshake: { ...made.tls.handshake, roundTrips: 3, expectedRoundTrips: 2, bytesIn: 16_000, wireMs: 3 * R },
    },
    http: {
      ...made.http,
      version: '1.1',
      bytes: 20_000,
      firstRecordBytes: 16_413,
      maxRecordBytes: 16_413,
      records: 2,
      firstPacketMs: R + 1,
      firstUsableMs: 2 * R + 3,
    },
    roundTrips: {
      tcp: trips(1, 1),
      tls: trips(3, 2),
      firstPacket: trips(1, 1),
      firstByte: trips(2, 1),
      serverWindow: window,
      waits: [
        { phase: 'tls', atMs: 2 * R, waitMs: R, afterBytes: 14_480, heldBy: 'window', segments: 10 },
        { phase: 'firstByte', atMs: 5 * R, waitMs: R, afterBytes: 14_480, heldBy: 'window', segments: 10 },
      ],
    },
    ...more,
  });
}

describe('the verdict on a server', () => {
  it('says how many round trips are waste and what they cost, of how much', () => {
    const judgement = judgementOf([[legacy()]], settings);
    expect(flowing(verdictLines(judgement, plain))).toBe(
      ' verdict 3 of 6 round trips are waste: 1,140 of 2,289 ms until the first body byte; 760 of 2,293 of the whole',
    );
  });

  it('does not call waste on loopback nothing', () => {
    const near = legacy({
      network: { ...legacy().network, minRttMs: 0.02, rttMs: 0.02 },
      phases: { ...legacy().phases, tcp: 0.02 },
    });
    const text = flowing(verdictLines(judgementOf([[near]], settings), plain));
    expect(text).toMatch(/round trips? (is|are) waste: less than 0\.1 of 1,909 ms until/);
  });

  it('says that a healthy server wastes none, and nothing where round trips were not counted', () => {
    const healthy = legacy({
      tls: makeHealthy(),
      roundTrips: { tcp: trips(1, 1), tls: trips(1, 1), firstPacket: trips(1, 1), firstByte: trips(1, 1), waits: [] },
    });
    expect(flowing(verdictLines(judgementOf([[healthy]], settings), plain))).toBe(' verdict no round trip is waste');
    expect(verdictLines(judgementOf([[legacy({ roundTrips: null })]], settings), plain)).toEqual([]);
    const lost = legacy({
      findings: [{ code: 'loss', severity: 'warning', savesRoundTrips: null, savesMs: null, evidence: 'lost' }],
    });
    expect(verdictLines(judgementOf([[lost]], settings), plain)).toEqual([]);
    expect(verdictLines(judgementOf([], settings), plain)).toEqual([]);
  });

  it('says first what went to a dead address', () => {
    const values = {
      addresses: '192.0.2.1',
      dead: 1,
      reason: 'tcp_timeout',
      connected: '192.0.2.2',
      lostMs: 1_671,
      raceMs: 250,
    };
    const dead = { code: 'dead_address', severity: 'warning', savesRoundTrips: null, savesMs: 1_671, values } as const;
    const more = { phases: { ...legacy().phases, total: 1_678 }, findings: [{ ...dead, evidence: 'no connection' }] };
    const best = { tcp: trips(1, 1), tls: trips(1, 1), firstPacket: trips(1, 1), firstByte: trips(1, 1), waits: [] };
    const healthy = { tls: makeHealthy(), roundTrips: best };
    const said = (...results: Result[]) =>
      flowing(verdictLines(judgementOf([results.slice(0, 1), results.slice(1)], settings), plain));
    const lost = ' verdict no connection to 192.0.2.1: 1,671 of 1,678 ms lost';
    expect(said(legacy({ ...healthy, ...more }))).toBe(`${lost}; no round trip is waste`);
    expect(said(legacy({ ...healthy, ...more }), legacy(healthy))).toBe(
      `${lost} in 1 of 2 probes; no round trip is waste`,
    );
    expect(said(legacy(more))).toMatch(`${lost}; 3 of 6 round trips are waste: `);
    expect(said(legacy({ ...more, roundTrips: null }))).toBe(lost);
    const many = Array.from({ length: 6 }, (_, n) => `192.0.2.${n}`).join(', ');
    const six = [{ ...dead, evidence: 'none', values: { ...values, addresses: many } }];
    expect(said(legacy({ ...more, findings: six }))).toContain('192.0.2.3, 192.0.2.4: 1,671');
  });

  it('judges what a busy machine measured only where there is nothing else', () => {
    const busy = { loopDelayMs: 40, inFlight: 9, clean: false };
    const judged = (...results: Result[]) =>
      flowing(
        verdictLines(
          judgementOf(
            results.map((result) => [result]),
            settings,
          ),
          plain,
        ),
      );
    expect(judged(legacy({ prober: busy }))).toContain('3 of 6 round trips are waste');
    const slow = legacy({ prober: busy, phases: { ...legacy().phases, total: 9_999 } });
    expect(judged(legacy(), slow, slow)).toContain('of 2,289 ms until');
  });

  it("gives what to change with the server's configuration, and all of it on request", () => {
    const judgement = judgementOf([[legacy()]], settings);
    const short = fixLines(judgement, false, plain).join('\n');
    expect(flowing(short)).toContain('Switch on TLS 1.3: saves 1 round trip, 380 ms');
    expect(short).toContain('nginx:   ssl_protocols TLSv1.2 TLSv1.3;');
    expect(short).not.toContain('haproxy:');
    const all = fixLines(judgement, true, plain).join('\n');
    expect(all).toContain('haproxy:');
    expect(flowing(all)).toContain('The server chose TLSv1.2 although TLS 1.3 was offered.');
    expect(flowing(all)).toContain('But: ');
    expect(flowing(all)).toContain('confidence low: 1 of 1 probe show it');
  });
});

function makeHealthy() {
  return makeResult({ targetId: TEST_VANTAGE.id, vantage: TEST_VANTAGE, startedAt: Date.UTC(2026, 10, 21), tls: R })
    .tls;
}

describe('bars', () => {
  it('are cut into round trips, and hatched where these need not be', () => {
    const bars = phaseBars(legacy(), plain, 1);
    expect(bars.find((line) => line.startsWith('  tls'))).toMatch(/ms +█{7}▌▒{7}▌▒{8} x3$/);
    expect(bars.find((line) => line.startsWith('  first byte'))).toMatch(/█{7}▌▒{8} x2$/);
    expect(bars.find((line) => line.startsWith('  tcp'))).toMatch(/ms +█{8} x1$/);
    expect(bars.at(-1)).toContain('▒ those that need not be');
  });

  it('are whole where round trips are unknown, and have no legend where none is waste', () => {
    const bars = phaseBars(legacy({ roundTrips: null }), plain, null);
    expect(bars.join('\n')).not.toMatch(/[▌▒]/);
    expect(bars.find((line) => line.startsWith('  tls'))).toMatch(/ms +█+$/);
  });

  it('hatch their share where they are too short to be cut', () => {
    const fast = legacy({ marks: { ...legacy().marks, total: 60_000 } });
    expect(phaseBars(fast, plain, 1).find((line) => line.startsWith('  tls'))).toMatch(/ms +█?▒ x3$/);
  });
});

describe('on a narrow terminal', () => {
  it('all but configuration fits', () => {
    fitInto({ isTTY: true, columns: 48 });
    const shown = { settings, whatIf: { text: 'tls=1.3', changes: [{ kind: 'tls13' as const }] } };
    const lines = waterfalls([legacy()], plain, shown).split('\n');
    const copied = /^ {15}(nginx:| {9})/;
    expect(Math.max(...lines.filter((line) => !copied.test(line)).map((line) => line.length))).toBeLessThanOrEqual(48);
  });

  it('text in Chinese and Japanese fits as well, at two columns a letter', () => {
    fitInto({ isTTY: true, columns: 48 });
    const text = `certificate of ${'服务器没有发送中间证书，'.repeat(4)}サーバー e\u0301${'é'.repeat(3)} ﾃｽﾄ`;
    const lines = row('finding', text).split('\n');
    const columnsOf = (line: string) =>
      [...line.replaceAll('\u0301', '')].reduce((sum, one) => sum + (/[\u3000-\uff60]/.test(one) ? 2 : 1), 0);
    const widths = lines.map(columnsOf);
    expect(Math.max(...widths)).toBeLessThanOrEqual(48);
    // Full but for a letter and what closes after it.
    expect(Math.min(...widths.slice(0, -1))).toBeGreaterThan(48 - 5);
    expect(lines.every((line) => !/^ +[，。]/.test(line))).toBe(true);
    expect(lines.map((line) => line.slice(15)).join('')).toBe(text);
    expect(row('', 'a  b').trim()).toBe('a  b');
  });

  it('a pipe has the usual width, and no terminal more than that', () => {
    for (const stream of [{ isTTY: true, columns: 300 }, { columns: 20 }, {}]) {
      fitInto(stream);
      const bar = phaseBars(legacy(), plain, 1).find((line) => line.startsWith('  tls')) ?? '';
      expect(bar.length).toBeGreaterThan(50);
      expect(bar.length).toBeLessThanOrEqual(80);
    }
  });
});

describe('--what-if', () => {
  const wanted = { text: 'tls=1.3', changes: [{ kind: 'tls13' as const }] };

  it('shows both clients, before and after, with bars to one scale', () => {
    const text = whatIfLines([[legacy()]], wanted, plain).join('\n');
    expect(flowing(text)).toMatch(
      /what if tls=1\.3 API client now predicted change handshake 1525\.0 ms 1145\.0 ms -380\.0 ms/,
    );
    const [now = '', then = ''] = text.split('\n').filter((line) => line.includes('█'));
    expect(now.length).toBeGreaterThan(then.length);
  });

  it('takes the median of several', () => {
    const slow = legacy({ marks: { ...legacy().marks, starttransfer: 3_000, total: 9_000 } });
    const text = flowing(whatIfLines([[legacy()], [slow], [legacy()]], wanted, plain));
    expect(text).toContain('total 2292.0 ms');
  });

  it('counts redirects that were followed, and says where none were', () => {
    const without = { text: 'redirect=off', changes: [{ kind: 'noRedirect' as const }] };
    const followed = legacy({ variant: 'redirect', url: 'https://elsewhere.example/' });
    const text = flowing(whatIfLines([[legacy(), followed]], without, plain));
    expect(text).toContain(`total ${(2_292 + R + 3 * R + 5 + 2 * R + 3 + 4 + 1).toFixed(1)} ms 2292.0 ms`);
    expect(text).not.toContain('no redirect was followed');
    expect(flowing(whatIfLines([[legacy()]], without, plain))).toContain('no redirect was followed');
  });

  it('says what is missing where nothing can be predicted', () => {
    expect(flowing(whatIfLines([[legacy({ http: null })]], wanted, plain))).toContain(
      'no prediction: it takes the whole response',
    );
  });
});

describe('--compare', () => {
  const plan = (url: string): Plan => ({
    url,
    settings,
    otherAddresses: [],
    timeoutMs: 1,
    count: 2,
    everyMs: 0,
    concurrency: 1,
  });
  const compared = (url: string, ...results: Result[]): Probed => ({
    plan: plan(url),
    results: results.map((result) => [result]),
  });

  it('sets medians side by side, and what differs', () => {
    const other = legacy({ tls: makeHealthy(), phases: { ...legacy().phases, tls: R } });
    const text = comparisonText(
      [compared('https://a.example/', legacy()), compared('https://b.example/', other)],
      plain,
    );
    expect(flowing(text)).toMatch(/A https:\/\/a\.example\/, 1 probed B https:\/\/b\.example\/, 1 probed/);
    expect(text).toMatch(/\n {2}tls +1145\.0 ms +380\.0 ms +-765\.0 ms\n/);
    expect(flowing(text)).toContain('version A: TLSv1.2 B: TLSv1.3');
    expect(flowing(text)).toContain('server nginx');
    expect(text).toMatch(/verdict A {4}3 of 6 round trips are waste/);
  });

  it('names what failed, and leaves it out of the figures', () => {
    const failure = { phase: 'tcp', reason: 'tcp_timeout', source: 'target', message: 'no answer' } as const;
    const failed = legacy({ ok: false, failure, phases: { ...legacy().phases, tls: 1 } });
    const text = comparisonText(
      [compared('https://a.example/', failed), compared('https://b.example/', legacy())],
      plain,
    );
    expect(flowing(text)).toContain('1 probed, 1 failed (tcp_timeout)');
    expect(text).toMatch(/\n {2}tls +- +1145\.0 ms +-\n/);
  });
});
