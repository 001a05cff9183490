import { type Facts, factsOf, whatIf } from '../what-if/what-if.ts';
import { NONE, perResult, type Rule, trips } from './rule.ts';
import { LEAST_WAIT_SHARE, rttOf } from './window.ts';
import { MILESTONES } from './worth.ts';

/**
 * Certificates that fit the window only because they came compressed (RFC 8879), which we offer as browsers do: clients that
 * do not (OpenSSL before 3.2, curl, Go, Java) wait for the window.
 */
export const compressedFlight: Rule = {
  code: 'compressed_flight',
  severity: 'info',
  occasion: 'first',
  certain: true,
  find: perResult((result) => {
    const { tls } = result;
    const { sent, chainBytes } = tls?.certificate ?? {};
    const [rttMs, facts] = [rttOf(result), factsOf(result)];
    if (!tls?.hellos?.offeredCompression?.length || !sent || !chainBytes || !rttMs || !facts) return 'unknown';
    if (sent.uncompressedBytes === undefined) return 'clear';
    const handshakeMs = (client: 'api' | 'browser') => whatIf(facts, [], client).before.handshake;
    const waits = Math.round((handshakeMs('api') - handshakeMs('browser')) / rttMs + 0.5 - LEAST_WAIT_SHARE);
    if (waits < 1) return 'clear';
    const savedBytes = sent.uncompressedBytes - sent.messageBytes;
    const flightBytes = (tls.flightBytes ?? tls.handshake.bytesIn) + savedBytes;
    const fittingBytes = fittingChain(facts, chainBytes, handshakeMs('browser') + LEAST_WAIT_SHARE * rttMs);
    return {
      gains: { browser: NONE, api: trips(waits, 'HUB') },
      model: { changes: [{ kind: 'chain', bytes: fittingBytes }], milestones: MILESTONES },
      values: {
        algorithm: tls.certificateCompression ?? '',
        bytes: sent.messageBytes,
        uncompressedBytes: sent.uncompressedBytes,
        flightBytes,
        fittingBytes,
        waits,
      },
    };
  }),
};

/** The most bytes of certificates (of `mostBytes`) with which clients without compression are done within `withinMs`. */
function fittingChain(facts: Facts, mostBytes: number, withinMs: number): number {
  let [fits, exceeds] = [0, mostBytes];
  while (exceeds - fits > 1) {
    const bytes = (fits + exceeds) >> 1;
    const { after } = whatIf(facts, [{ kind: 'chain', bytes }], 'api');
    if (after.handshake <= withinMs) fits = bytes;
    else exceeds = bytes;
  }
  return fits;
}
