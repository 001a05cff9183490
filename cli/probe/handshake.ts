import type { Result, RoundTrips } from '#contract/result.ts';
import { ms, plural, row } from './layout.ts';
import { harmless, type Paint } from './paint.ts';

const DAY_MS = 86_400_000;
type Tls = NonNullable<Result['tls']>;

/** How many round trips each step took and how many are due, and where the others sit. */
export function roundTripLines(result: Result, paint: Paint): string[] {
  const { roundTrips } = result;
  if (!roundTrips) return [];
  const { tcp, tls, firstPacket, firstByte, waits } = roundTrips;
  const steps: [string, RoundTrips['tcp']][] = [
    ['tcp', tcp],
    ['tls', tls],
    ['first packet', firstPacket],
    ['first byte', firstByte],
  ];
  const said = steps.flatMap(([name, { took, expected }]) => {
    if (took === null) return [];
    const wasted = expected !== null && took > expected;
    return [wasted ? paint.yellow(`${name} ${took} (${expected} expected)`) : `${name} ${took}`];
  });
  if (said.length === 0) return [];
  const paused = waits.map(
    ({ phase, atMs, waitMs, afterBytes }) =>
      `${phase === 'firstByte' ? 'first byte' : phase} paused for ${ms(waitMs)} at ${ms(atMs)}, after ${afterBytes} bytes`,
  );
  return [row('round trips', said.join(', ')), ...paused.map((text) => row('', text))];
}

/** What the kernel knows of the connection; nothing where it was not asked. */
export function kernelLines({ network }: Result, paint: Paint): string[] {
  const { rttMs = null, minRttMs, retransmits, synRetransmits = null, outOfOrder = null } = network;
  const lost = (retransmits ?? 0) + (synRetransmits ?? 0) + (outOfOrder ?? 0) > 0;
  const sent = retransmits === null ? null : `${plural(retransmits, 'segment')} retransmitted`;
  const parts = [
    rttMs === null ? null : `RTT ${ms(rttMs)}`,
    minRttMs === null ? null : `minimum RTT ${ms(minRttMs)}`,
    sent !== null && lost ? paint.yellow(sent) : sent,
    synRetransmits ? paint.yellow(`${plural(synRetransmits, 'SYN')} of them`) : null,
    outOfOrder ? paint.yellow(`${outOfOrder} arrived out of order`) : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? [] : [row('kernel', parts.join(', '))];
}

/** Handshake, certificate and staple. */
export function handshakeLines({ tls, roundTrips, startedAt }: Result): string[] {
  if (!tls) return [];
  const { handshake, staple } = tls;
  const times =
    handshake.wireMs === null ? [] : [`wire ${ms(handshake.wireMs)}`, `local ${ms(handshake.localMs ?? 0)}`];
  const amounts = `${plural(handshake.records, 'record')}, ${handshake.bytesIn} bytes in, ${handshake.bytesOut} out`;
  const said = [...(roundTrips ? [] : [countedTrips(handshake)]), ...times, amounts];
  const until = staple.nextUpdate ? `, next update ${staple.nextUpdate}` : '';
  return [
    row('handshake', said.join(', ')),
    ...certificateLines(tls, startedAt),
    row('staple', `${staple.status}${until}`),
  ];
}

function countedTrips({ roundTrips, expectedRoundTrips }: Tls['handshake']): string {
  const due = expectedRoundTrips === null ? '' : ` (${expectedRoundTrips} expected)`;
  return `${roundTrips === null ? 'round trips unknown' : plural(roundTrips, 'round trip')}${due}`;
}

function certificateLines({ certificate, certificateCompression }: Tls, startedAt: string): string[] {
  if (!certificate) return [];
  const { names, namesTotal } = certificate;
  const { messageBytes, uncompressedBytes } = certificate.sent ?? {};
  const sizes = uncompressedBytes === undefined ? '' : `, ${messageBytes} bytes instead of ${uncompressedBytes}`;
  const { subject, issuer, notAfter, keyType, keyBits, verified, verifyError, chainLength, chainBytes } = certificate;
  const days = notAfter === null ? null : Math.floor((Date.parse(notAfter) - Date.parse(startedAt)) / DAY_MS);
  const until = notAfter === null ? 'no expiry' : `until ${notAfter.slice(0, 10)} (${days} days)`;
  const chain = chainLength === null ? '' : `, chain of ${chainLength} (${chainBytes} bytes)`;
  return [
    row('certificate', harmless(`${subject}, ${keyType} ${keyBits ?? ''}, ${until}${chain}`)),
    ...(namesTotal === undefined ? [] : [row('', `${namesTotal} names, ${names.length} in the Result`)]),
    ...(certificateCompression ? [row('', harmless(`compressed (${certificateCompression})${sizes}`))] : []),
    row('', harmless(`by ${issuer}; ${verified ? 'verified' : `NOT verified: ${verifyError}`}`)),
  ];
}
