import { describe, expect, it } from 'vitest';
import { paintFor } from '#cli/probe/paint.ts';
import { waterfalls } from '#cli/probe/waterfall.ts';
import { type Finding, Result } from '#contract/result.ts';
import { makeResult } from '../../support/results.ts';
import { TEST_VANTAGE } from '../../support/tls-target.ts';

const plain = paintFor(false);
const MAIN_ID = '0197f3a0-0000-7000-8000-00000000000a';

function made(more: Partial<Result> = {}, tls = 57.4): Result {
  const startedAt = Date.parse('2026-11-21T08:00:00Z');
  const result = makeResult({ targetId: TEST_VANTAGE.id, vantage: TEST_VANTAGE, startedAt, tls });
  return Result.parse({ ...result, id: MAIN_ID, ...more });
}

const trips = (took: number, expected: number) => ({ took, expected });

const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length));
/** Without the breaks that the width of 80 columns makes. */
const flowing = (text: string) => text.replace(/\s+/g, ' ');

describe('a waterfall', () => {
  it('tells round trips taken and due, and where the others sit', () => {
    const text = waterfalls(
      [
        made({
          roundTrips: {
            tcp: trips(1, 1),
            tls: trips(3, 2),
            firstPacket: trips(1, 1),
            firstByte: trips(2, 1),
            waits: [{ phase: 'tls', atMs: 61, waitMs: 28.2, afterBytes: 14_600 }],
          },
        }),
      ],
      plain,
    );
    expect(flowing(text)).toContain('round trips tcp 1, tls 3 (2 expected), first packet 1, first byte 2 (1 expected)');
    expect(flowing(text)).toContain('tls paused for 28.2 ms at 61.0 ms, after 14600 bytes');
  });

  it('sets the first packet apart from the first usable byte', () => {
    const http = made().http;
    if (!http) throw new Error('the made result has no answer');
    const text = waterfalls([made({ http: { ...http, firstPacketMs: 28.1, firstUsableMs: 56.3 } })], plain);
    expect(flowing(text)).toContain('response first packet after 28.1 ms, first usable byte after 56.3 ms');
  });

  it("shows the kernel's word, and nothing where it was not asked", () => {
    const { network } = made();
    const asked = { ...network, rttMs: 28.3, minRttMs: 28, retransmits: 2, synRetransmits: 1, outOfOrder: 3 };
    expect(flowing(waterfalls([made({ network: asked })], plain))).toContain(
      'kernel RTT 28.3 ms, minimum RTT 28.0 ms, 2 segments retransmitted, 1 SYN of them, 3 arrived out of order',
    );
    const silent = { ...network, rttMs: null, minRttMs: null, retransmits: null, sndCwnd: null, outOfOrder: null };
    expect(waterfalls([made({ network: silent })], plain)).not.toContain('kernel');
  });

  it('sets the handshakes of a sequence under one another and says what resumption saves', () => {
    const main = made();
    const { tls } = made();
    if (!tls) throw new Error('the made result has no handshake');
    const short = { ...tls, resumed: true, handshake: { ...tls.handshake, roundTrips: 0, bytesIn: 890 } };
    const resumed = made({ variant: 'resumed', mainId: MAIN_ID, tls: short }, 29.4);
    const text = waterfalls([main, resumed], plain);
    expect(flowing(text)).toContain('saves 28.0 ms, 1 round trip, 2000 bytes');
    const [full, second] = ['full', 'resumed'].map((label) =>
      text.split('\n').find((line) => line.startsWith(`  ${label} `)),
    );
    expect(full?.indexOf('57.4 ms')).toBe(second?.indexOf('29.4 ms'));
  });

  it('says so where tickets do not resume, where a kind is missing, and where the machine was busy', () => {
    const finding: Finding = {
      code: 'tickets_do_not_resume',
      severity: 'warning',
      savesRoundTrips: null,
      savesMs: null,
      evidence: 'the server gave 2 tickets',
    };
    const failure = { phase: 'tls', reason: 'tls_no_shared_cipher', source: 'target', message: 'no' } as const;
    const late = { loopDelayMs: 3, inFlight: 1, clean: false };
    const text = waterfalls(
      [
        made(),
        made({ variant: 'resumed', findings: [finding] }),
        made({ variant: 'rsa', ok: false, failure, tls: null, http: null }),
        made({ variant: 'ecdsa', prober: late }),
      ],
      plain,
    );
    expect(flowing(text)).toContain('not resumed warning tickets_do_not_resume: the server gave 2 tickets.');
    expect(text).toContain('FAILED: tls_no_shared_cipher');
    expect(flowing(text)).toContain('(this machine was busy)');
    expect(widest(text)).toBeLessThanOrEqual(80);
  });

  it('follows redirects with waterfalls of their own', () => {
    const http = made().http;
    if (!http) throw new Error('the made result has no answer');
    const main = made({ http: { ...http, status: 301, location: 'https://www.example.org/' } });
    const text = waterfalls([main, made({ variant: 'redirect', url: 'https://www.example.org/' })], plain);
    expect(flowing(text)).toContain('redirect to https://www.example.org/, followed below');
    expect(text).toContain('\nredirect 1\nhttps://www.example.org/\n');
    expect(flowing(waterfalls([main], plain))).toContain('not followed');
  });
});
