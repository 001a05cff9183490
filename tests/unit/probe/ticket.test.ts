import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { ProbeSettings } from '#contract/target.ts';
import { systemClock } from '#probe/interfaces.ts';
import { noEvidence } from '#probe/phases/evidence.ts';
import { ticketAfterHandshake } from '#probe/phases/ticket.ts';
import type { ProbeRequest } from '#probe/request.ts';
import type { TlsLine } from '#probe/tls/tls.ts';

const environment = {
  clock: systemClock,
  load: () => ({ loopDelayMs: 0, inFlight: 1, clean: true }),
} as Parameters<typeof ticketAfterHandshake>[1];

/** A probe without HTTP whose handshake of TLS 1.3 has just ended, over a line of this round trip (ms). */
function afterHandshake(roundTripMs: number, settings: Partial<ProbeSettings> = {}, timeoutMs = 5_000) {
  const socket = Object.assign(new EventEmitter(), { resume: () => socket });
  const now = systemClock.now();
  const start = now - 2 * roundTripMs;
  const evidence = noEvidence(start);
  evidence.stamps = { start, connect: start + roundTripMs, appconnect: now, end: now };
  evidence.line = { socket, session: () => null } as unknown as TlsLine;
  evidence.secured = { version: 'TLSv1.3', resumed: false } as typeof evidence.secured;
  const request = { settings: ProbeSettings.parse({ resume: true, http: false, ...settings }), timeoutMs };
  const waited = async () => {
    const begun = systemClock.now();
    await ticketAfterHandshake(request as ProbeRequest, environment, evidence);
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
