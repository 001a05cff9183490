import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Result } from '#contract/result.ts';
import { ProbeSettings } from '#contract/target.ts';
import { emulatedNetwork } from '#demo/network.ts';
import type { Origins } from '#demo/origins.ts';
import { pathBetween } from '#demo/places.ts';
import { seededRandom } from '#demo/random.ts';
import { realEnvironment } from '#probe/environment.ts';
import { measure } from '#probe/measure.ts';
import { lossless, startOrigins } from '../support/demo-line.ts';

/** What is clean enough here, ms: round trips are counted, and those from Ürümqi are longer. */
const CLEAN_BELOW_MS = 40;
/** Far enough (over 50 ms) that no stall of a clean result passes for a round trip. */
const URUMQI = { region: 'CN-XJ', carrier: 'mobile' } as const;
let running: Origins;
let stop: () => Promise<void>;
beforeAll(async () => {
  ({ running, stop } = await startOrigins());
});
afterAll(() => stop());

type Probed = { result: Result; rttMs: number };

/** Probes until the engine itself calls a result clean: on a busy machine some are not, and they prove nothing. */
async function probe(key: string): Promise<Probed> {
  let probed = await probeOnce(key);
  for (let more = 50; more > 0 && !probed.result.prober.clean; more -= 1) probed = await probeOnce(key);
  return probed;
}

/** One real probe of the origin from Ürümqi over a line without loss and jitter, and the round-trip time of that line. */
async function probeOnce(key: string): Promise<Probed> {
  const origin = running.origins.find((each) => each.key === key);
  if (!origin) throw new Error(`no origin ${key}`);
  const network = emulatedNetwork({
    vantage: URUMQI,
    destinations: running.origins,
    random: seededRandom(3),
    conditions: lossless,
    jitter: false,
  });
  const request = {
    id: v7(),
    url: origin.url,
    settings: ProbeSettings.parse({ caPem: origin.caPem }),
    timeoutMs: 20_000,
    targetId: null,
    vantage: null,
    demo: true,
    allowPrivate: true,
  };
  const { result } = await measure(request, realEnvironment({ network, cleanBelowMs: CLEAN_BELOW_MS }));
  return { result: Result.parse(result), rttMs: pathBetween(URUMQI, origin.site, 0).rttMs };
}

/** One probe may be late on a busy machine, but never earlier than its line (less what timers round). */
const TIMER_GRAIN_MS = 3;

describe('the engine on the demo network', () => {
  it('finds the good origin in order: one round trip each for TCP and TLS, h2, a good staple', async () => {
    const { result, rttMs } = await probe('good');
    expect(result.failure).toBeNull();
    expect(result.demo).toBe(true);
    expect(result.tls).toMatchObject({ version: 'TLSv1.3', alpn: 'h2', staple: { status: 'good' } });
    expect(result.tls?.handshake).toMatchObject({ roundTrips: 1, flights: 1 });
    expect(result.phases.tcp).toBeGreaterThan(rttMs - TIMER_GRAIN_MS);
    expect(result.phases.tls).toBeGreaterThan(rttMs - TIMER_GRAIN_MS);
    expect(result.network).toMatchObject({ minRttMs: null, retransmits: null, sndCwnd: null, resolver: 'emulated' });
    expect(result.http?.bytes).toBe(24 * 1024);
  });

  it('finds three round trips and a missing staple at the legacy origin', async () => {
    const { result, rttMs } = await probe('legacy');
    expect(result.failure).toBeNull();
    expect(result.tls).toMatchObject({ version: 'TLSv1.2', alpn: 'http/1.1', staple: { status: 'missing' } });
    expect(result.tls?.handshake).toMatchObject({ roundTrips: 3 });
    expect(result.tls?.certificate?.chainBytes).toBeGreaterThan(15_000);
    expect(result.phases.tls).toBeGreaterThan(3 * rttMs - TIMER_GRAIN_MS);
  });

  it('finds a second round trip where an origin is deployed to take key shares of one group, until it is taken back', async () => {
    // What the handshake is made of does not depend on how busy the machine is.
    running.deploy('stale', 'costlyGroup', true);
    const { result, rttMs } = await probeOnce('stale');
    expect(result.failure).toBeNull();
    expect(result.tls).toMatchObject({ helloRetry: true, group: 'secp384r1', handshake: { roundTrips: 2 } });
    expect(result.phases.tls).toBeGreaterThan(2 * rttMs - TIMER_GRAIN_MS);
    running.deploy('stale', 'costlyGroup', false);
    const back = await probeOnce('stale');
    expect(back.result.tls).toMatchObject({ helloRetry: false, handshake: { roundTrips: 1 } });
  });

  it('finds the staple of the third origin stale', async () => {
    const { result } = await probe('stale');
    expect(result.failure).toBeNull();
    expect(result.tls).toMatchObject({ version: 'TLSv1.3', alpn: 'h2', staple: { status: 'stale' } });
  });
});
