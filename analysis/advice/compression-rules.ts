import { countedTrips, factsOf, fittingChain } from '../what-if/what-if.ts';
import { perResult, type Rule } from './rule.ts';

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
    const facts = factsOf(result);
    if (!tls?.hellos?.offeredCompression?.length || !sent || !chainBytes || !facts) return 'unknown';
    if (sent.uncompressedBytes === undefined) return 'clear';
    const waits = countedTrips(facts, [], 'api').handshake - countedTrips(facts, [], 'browser').handshake;
    if (waits < 1) return 'clear';
    const savedBytes = sent.uncompressedBytes - sent.messageBytes;
    const flightBytes = (tls.flightBytes ?? tls.handshake.bytesIn) + savedBytes;
    const fittingBytes = fittingChain(facts);
    if (fittingBytes === null) return 'clear';
    return {
      changes: [{ kind: 'chain', bytes: fittingBytes }],
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
