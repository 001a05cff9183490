import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { ProbeSettings } from '#contract/target.ts';
import { systemClock } from '#probe/clock.ts';
import type { Run, Secured } from '#probe/phases/stages.ts';
import { ticketAfterHandshake } from '#probe/phases/ticket.ts';

/** A probe without HTTP whose handshake of TLS 1.3 has just ended, over a path of this round trip (ms). */
function afterHandshake(roundTripMs: number, settings: Partial<ProbeSettings> = {}, timeoutMs = 5_000) {
  const socket = Object.assign(new EventEmitter(), { resume: () => socket });
  const now = systemClock.now();
  const start = now - 2 * roundTripMs;
  const secured = {
    start,
    lookup: null,
    destination: { address: '192.0.2.1', family: 4, port: 443 },
    attemptAt: start,
    failed: [],
    connectedAt: start + roundTripMs,
    connection: { kernel: null },
    tap: { helloSentAt: start + roundTripMs },
    tls: { socket, session: () => null },
    handshake: { version: 'TLSv1.3', resumed: false, lastArrival: now },
  } as unknown as Secured;
  const run = {
    request: { settings: ProbeSettings.parse({ resume: true, http: false, ...settings }) },
    environment: { clock: systemClock },
    overall: { endsAt: start + timeoutMs, timeoutMs },
  } as Run;
  const waited = async () => {
    const begun = systemClock.now();
    await ticketAfterHandshake(Object.freeze(secured), run);
    return systemClock.now() - begun;
  };
  return { socket, waited };
}

describe('the wait for a ticket', () => {
  it('ends one round trip and 50 ms after the handshake, where none comes', async () => {
    const waitedMs = await afterHandshake(30).waited();
    expect(waitedMs).toBeGreaterThan(75);
    expect(waitedMs).toBeLessThan(1_000);
  });

  it('ends with the ticket or with the connection', async () => {
    for (const event of ['session', 'close']) {
      const { socket, waited } = afterHandshake(3_000);
      setImmediate(() => socket.emit(event));
      expect(await waited()).toBeLessThan(1_000);
    }
  });

  it('never lasts longer than the probe may', async () => {
    expect(await afterHandshake(1_000, {}, 2_010).waited()).toBeLessThan(500);
  });

  it.each([{ resume: false }, { http: true }])('does not happen with %j', async (settings) => {
    expect(await afterHandshake(3_000, settings).waited()).toBeLessThan(500);
  });
});
