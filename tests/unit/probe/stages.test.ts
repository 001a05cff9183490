import { describe, expect, it } from 'vitest';
import { cutsOf, marksOf, NO_CUTS, phasesOf, stampsOf } from '#probe/phases/phases.ts';
import type { Connected, Connecting, Resolved, Secured, Started } from '#probe/phases/stages.ts';
import { networkOf } from '#probe/result/network.ts';

const started: Started = Object.freeze({ startedAt: new Date(0), start: 1_000, resolver: '192.0.2.53' });
const resolved: Resolved = Object.freeze({
  ...started,
  addresses: [{ address: '192.0.2.1', family: 4 as const }],
  lookup: { endedAt: 1_010, lateMs: 0, name: 'shop.example' },
});
const connecting: Connecting = Object.freeze({
  ...resolved,
  destination: { address: '192.0.2.1', family: 4 as const, port: 443 },
  attemptAt: 1_010,
  failed: [],
});
const info = {
  open: true,
  rttMs: 20,
  minRttMs: 19,
  sendMss: 1_448,
  receiveMss: 1_448,
  retransmits: 2,
  sndCwnd: 10,
  segmentsIn: 3,
  segmentsOut: 4,
  bytesReceived: 0,
  dataSegmentsIn: 0,
  outOfOrder: 0,
};
const failedAttempt = {
  address: '192.0.2.2',
  family: 4 as const,
  startedAt: 1_010,
  endedAt: 1_020,
  failure: { phase: 'tcp' as const, reason: 'tcp_timeout' as const, source: 'target' as const, message: '' },
  kernel: info,
};
/** A connect whose SYN left 3 ms after the look-up, and whose ClientHello left 5 ms after the connect. */
const connected = Object.freeze({
  ...connecting,
  connectedAt: 1_033,
  connection: {
    peerAddress: '192.0.2.1',
    peerPort: 443,
    localAddress: '192.0.2.9',
    localPort: 5_000,
    family: 4,
    kernel: { synAt: 1_013, atConnect: info, info: () => info },
  },
  tap: { helloSentAt: 1_038, requestSentAt: null },
}) as unknown as Connected;
const secured = Object.freeze({ ...connected, handshake: { lastArrival: 1_058 } }) as unknown as Secured;

describe('a stage that a probe reached', () => {
  it('has the stamps of those before it, as they were taken, and our own work beside them', () => {
    expect(stampsOf(secured, 1_060)).toMatchObject({
      start: 1_000,
      namelookup: 1_010,
      connect: 1_033,
      appconnect: 1_058,
      pretransfer: undefined,
      end: 1_060,
    });
    expect(cutsOf(secured)).toEqual({ beforeSynMs: 3, beforeHelloMs: 5 });
    const phases = phasesOf(marksOf(stampsOf(secured, 1_060), cutsOf(secured)), false);
    expect(phases).toEqual({ dns: 10, tcp: 20, tls: 20, firstByte: null, download: null, total: 52, firstBody: null });
  });

  it('has nothing of what comes after it', () => {
    expect(stampsOf(resolved, 1_012)).toMatchObject({ namelookup: 1_010, connect: undefined, end: 1_012 });
    expect(cutsOf(resolved)).toEqual(NO_CUTS);
    expect(cutsOf(connecting)).toEqual(NO_CUTS);
  });

  it('counts the attempts at addresses that did not answer, and not our own time between them', () => {
    const failed = [{ ...failedAttempt, startedAt: 1_012, endedAt: 1_512 }];
    const again: Connected = { ...connected, connectedAt: 1_540, attemptAt: 1_519, failed } as Connected;
    const kernel = { ...again.connection.kernel, synAt: 1_520 };
    const late = { ...again, connection: { ...again.connection, kernel }, tap: { helloSentAt: 1_540 } } as Connected;
    expect(cutsOf(late)).toEqual({ beforeSynMs: 10, beforeHelloMs: 0 });
    expect(phasesOf(marksOf(stampsOf(late, 1_545), cutsOf(late)), false)).toMatchObject({
      dns: 10,
      tcp: 520,
      total: 535,
    });
    expect(networkOf(late)).toMatchObject({
      attemptMs: 20,
      attempts: [
        { address: '192.0.2.2', atMs: 10, durationMs: 500, reason: 'tcp_timeout', syns: 3 },
        { address: '192.0.2.1', atMs: 510, durationMs: 20, reason: null },
      ],
    });
    expect(networkOf(connected)).not.toHaveProperty('attempts');
  });

  it('counts the attempt that it failed in', () => {
    const first = { ...failedAttempt, startedAt: 1_010, endedAt: 1_510 };
    const last = { ...failedAttempt, startedAt: 1_512, endedAt: 1_700 };
    const all: Connecting = { ...connecting, attemptAt: 1_512, failed: [first, last] };
    expect(cutsOf(all)).toEqual({ beforeSynMs: 2, beforeHelloMs: 0 });
    expect(marksOf(stampsOf(all, 1_700), cutsOf(all)).total).toBe(698);
  });

  it('says who was connected to, and of a connect that failed what the kernel knew of it', () => {
    const nobody = { peerAddress: null, peerPort: null, family: null, localAddress: null, retransmits: null };
    expect(networkOf(resolved)).toMatchObject({ ...nobody, resolver: '192.0.2.53' });
    expect(networkOf(connecting)).toMatchObject({ peerAddress: '192.0.2.1', peerPort: 443, family: 4 });
    const failed = networkOf({ ...connecting, failed: [{ ...failedAttempt, kernel: info }] });
    expect(failed).toMatchObject({ retransmits: 2, synRetransmits: 2, segmentsOut: 4, minRttMs: null });
    expect(networkOf(connected)).toMatchObject({ localPort: 5_000, minRttMs: 19, rttMs: 20, sndCwnd: 10 });
  });
});
