import { beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '#contract/result.ts';
import type { ProbeSettings } from '#contract/target.ts';
import type { DropRule, Scenario } from '#tests/lab/types.ts';
import { problem, useLab } from '../support/lab-scene.ts';
import { type Connection, connectionsOf } from '../support/packets/connections.ts';
import { type Truth, truthOf } from '../support/packets/truth.ts';

const RTT = 28;
const VERSIONS = ['1.2', '1.3'] as const;
const CHAINS = [1_700, 5_200, 20_480];
const WINDOWS = [10, 4, 3, 2];
const RECORDS = [16_384, 4_096, 1_400];

/**
 * Round trips of the handshake for the windows 10, 4, 3, 2, as they were first measured (nginx 1.22, OpenSSL 3.0). Another
 * server may cut its flight otherwise: a difference is reported, and the packets have the last word.
 */
const KNOWN: Record<string, number[]> = {
  '1.2 1700': [2, 2, 2, 2],
  '1.2 5200': [2, 2, 3, 3],
  '1.2 20480': [3, 4, 4, 5],
  '1.3 1700': [1, 1, 1, 1],
  '1.3 5200': [1, 2, 2, 2],
  '1.3 20480': [2, 3, 3, 4],
};

/** Round trips until the first usable byte of a body of 24 kB, for the windows 10 and 4; the first packet takes one. */
const KNOWN_ANSWERS: Record<number, number[]> = { 16384: [2, 3], 4096: [1, 2], 1400: [1, 1] };

const chainCases: Scenario[] = VERSIONS.flatMap((tls) =>
  CHAINS.map((chainBytes) => ({ name: `${tls}-${chainBytes}`, tls, chainBytes, bodyBytes: 100 })),
);
// A resumed handshake would widen the window before the answer; so would a long chain.
const recordCases: Scenario[] = RECORDS.map((recordBytes) => ({
  name: `records-${recordBytes}`,
  tls: '1.3',
  recordBytes,
}));

const alpn: ProbeSettings['alpn'] = ['http/1.1'];
const MOST_TRIES = 8;
/** So late (ms) after the handshake the request may leave: much later, and it no longer shares its round trip with the tickets. */
const LATE_REQUEST_MS = 4;

/** Whether the machine was at rest enough for this Result to be judged, and the kernel could be asked about it. */
function isUsable({ prober, network, marks }: Result): boolean {
  const late = (marks.pretransfer ?? 0) - (marks.appconnect ?? 0);
  return prober.clean && network.retransmits !== null && late < LATE_REQUEST_MS;
}

/** Tells where the packets differ from what was first measured. */
function compare(what: string, seen: number | null, known: number | undefined): void {
  if (seen !== known)
    process.stderr.write(`${what}: ${seen} round trips by the packets, ${known} when first measured\n`);
}

type Seen = { result: Result; truth: Truth };
/** Tries after the first one. */
const RETAKEN = { retry: 2 };
type Attempted = { readonly result?: { retryCount?: number } | undefined };

const codesOf = (result: Result) => result.findings.map(({ code }) => code);

describe.skipIf(problem !== null)('round trips in the lab, against the packets', () => {
  const scene = useLab({ rttMs: RTT, scenarios: [...chainCases, ...recordCases] });

  /**
   * One probe of each scenario, and what its packets say. A busy machine spoils a probe: the engine says so, and it is
   * taken again.
   */
  async function probed(scenarios: string[], drop: DropRule | null = null): Promise<Map<string, Seen>> {
    const capture = await scene.lab.capture();
    const results = new Map<string, Result>();
    for (const scenario of scenarios) results.set(scenario, await cleanResult(scenario, drop));
    const { pcap, missed } = await capture.stop();
    expect(missed).toBe(0);
    const connections = connectionsOf(pcap, scene.lab.proberAddress);
    return new Map(
      Array.from(results, ([scenario, result]) => {
        const mine = connections.findLast(({ localPort }) => localPort === result.network.localPort) as Connection;
        return [scenario, { result, truth: truthOf(mine, { lineRttMs: RTT }) }];
      }),
    );
  }

  async function cleanResult(scenario: string, drop: DropRule | null): Promise<Result> {
    const order = {
      url: `https://${scene.lab.address}:${scene.lab.ports[scenario]}/`,
      settings: { caPem: scene.lab.caPem, alpn },
    };
    for (let tries = 1; ; tries += 1) {
      await scene.lab.drop(drop);
      const result = await scene.prober.probe(order);
      if (isUsable(result) || tries === MOST_TRIES) return result;
    }
  }

  /** A probe that a moment of the machine spoilt is taken anew for each further try; what is wrong for good fails them all. */
  async function judged(name: string, seenOf: (name: string) => Seen, task: Attempted): Promise<Seen> {
    return (task.result?.retryCount ?? 0) === 0 ? seenOf(name) : ((await probed([name])).get(name) as Seen);
  }

  /** The scenarios' probes at one window, taken before the tests that judge them. */
  function measuredAt(window: number, scenarios: Scenario[]): (scenario: string) => Seen {
    let seen: Map<string, Seen>;
    beforeAll(async () => {
      await scene.lab.setInitcwnd(window);
      seen = await probed(scenarios.map(({ name }) => name));
    });
    return (scenario) => seen.get(scenario) as Seen;
  }

  describe.each(WINDOWS)('with an initial window of %i segments', (window) => {
    const seenOf = measuredAt(window, chainCases);

    it.for(chainCases.map(({ name, tls, chainBytes }) => [tls, chainBytes, name] as const))(
      'a handshake of TLS %s with a chain of %i bytes',
      RETAKEN,
      async ([tls, chainBytes, name], { task }) => {
        const { result, truth } = await judged(name, seenOf, task);
        expect(result).toMatchObject({ ok: true, tls: { version: `TLSv${tls}` } });
        const known = KNOWN[`${tls} ${chainBytes}`]?.[WINDOWS.indexOf(window)];
        compare(`${tls} ${chainBytes}, window ${window}`, truth.roundTrips.tls, known);
        const expected = tls === '1.2' ? 2 : 1;
        expect(result.roundTrips?.tls).toEqual({ took: truth.roundTrips.tls, expected });
        expect(result.tls?.handshake.roundTrips).toBe(truth.roundTrips.tls);
        const extra = (truth.roundTrips.tls ?? 0) - expected;
        expect(result.roundTrips?.waits.filter(({ phase }) => phase === 'tls')).toHaveLength(extra);
        expect(codesOf(result).includes('chain_exceeds_window')).toBe(extra > 0);
      },
    );
  });

  describe.each([10, 4])('an answer of 24 kB with an initial window of %i segments', (window) => {
    const seenOf = measuredAt(window, recordCases);

    it.for(RECORDS)('in records of %i bytes', RETAKEN, async (recordBytes, { task }) => {
      const { result, truth } = await judged(`records-${recordBytes}`, seenOf, task);
      const known = KNOWN_ANSWERS[recordBytes]?.[window === 10 ? 0 : 1];
      compare(`records of ${recordBytes}, window ${window}`, truth.roundTrips.firstUsable, known);
      expect(truth.roundTrips.firstPacket).toBe(1);
      expect(result.roundTrips?.firstPacket).toEqual({ took: 1, expected: 1 });
      expect(result.roundTrips?.firstByte).toEqual({ took: truth.roundTrips.firstUsable, expected: 1 });
      expect(codesOf(result).includes('records_exceed_window')).toBe(truth.roundTrips.firstUsable !== 1);
      for (const mark of ['firstPacketMs', 'firstUsableMs'] as const) {
        expect(Math.abs((result.http?.[mark] ?? 0) - (truth[mark] ?? 0))).toBeLessThan(1);
      }
    });
  });

  describe('packets that are lost', () => {
    beforeAll(() => scene.lab.setInitcwnd(10));
    const lossy = async (scenario: string, drop: DropRule) => (await probed([scenario], drop)).get(scenario) as Seen;

    it('a lost SYN is loss, and no round trip', async () => {
      const { result, truth } = await lossy('1.3-5200', { what: 'syn' });
      expect(truth).toMatchObject({ synRepeats: 1 });
      expect(truth.connectMs).toBeGreaterThan(1_000);
      expect(codesOf(result)).toContain('loss');
      expect(result.roundTrips).toMatchObject({ tcp: { took: 1 }, tls: { took: 1, expected: 1 } });
    });

    it('a lost segment of the handshake is loss, and not the window', async () => {
      const { result, truth } = await lossy('1.3-20480', { what: 'server-data', nth: 3 });
      expect(truth.outOfOrder).toBeGreaterThan(0);
      expect(codesOf(result)).toContain('loss');
      expect(codesOf(result)).not.toContain('chain_exceeds_window');
    });
  });
});
