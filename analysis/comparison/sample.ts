import type { ComparedPhase, Milestone, Setting } from '#contract/comparison.ts';
import { connectMsOf, type Result } from '#contract/result.ts';
import type { MeasuredVariant } from '#contract/vocabulary.ts';

/** Where a sample was taken. */
export type SampleVantage = { id: string; name: string; country: string; region: string; carrier: string };

/** What a comparison needs of one Result; times in ms, null where nothing of the kind happened. */
export type Sample = {
  /** When the probe began, ms since 1970. */
  at: number;
  vantage: SampleVantage;
  /** From the beginning of the connect. */
  milestones: Record<Milestone, number | null>;
  phases: Record<ComparedPhase, number | null>;
  /** The round-trip time that the connect took. */
  rttMs: number;
  /** Round trips that were counted from the beginning of the connect; null where they could not be, left out where none were. */
  trips?: Record<Milestone, number | null>;
  posture: Posture;
};

/** How the server was set as this Result saw it: a text, a number, or null where it could not be seen. */
export type Posture = Record<Setting, string | number | null>;

/**
 * The sample of a Result; null for one that statistics leave out: failed, taken by a prober under load, of another variant, without a
 * vantage, or without a connect.
 */
export function sampleOf(result: Result, variant: MeasuredVariant = 'main'): Sample | null {
  const { vantage, marks, phases } = result;
  if (!result.ok || !result.prober.clean || (result.variant ?? 'main') !== variant) return null;
  if (!vantage || phases.tcp === null) return null;
  const start = (marks.connect ?? phases.tcp) - phases.tcp;
  const since = (mark: number | null | undefined) => (mark === null || mark === undefined ? null : mark - start);
  const { id, name, country, region, carrier } = vantage;
  return {
    at: Date.parse(result.startedAt),
    vantage: { id, name, country, region, carrier },
    milestones: {
      handshake: since(marks.appconnect),
      firstUsable: since(marks.starttransfer),
      firstBody: since(marks.firstBody),
      total: since(marks.total),
    },
    phases: {
      dns: phases.dns,
      tcp: phases.tcp,
      tls: phases.tls,
      firstByte: phases.firstByte,
      firstBody: phases.firstBody ?? null,
      download: phases.download,
      total: phases.total,
    },
    rttMs: rttOf(result, connectMsOf(result) ?? phases.tcp),
    trips: tripsOf(result),
    posture: postureOf(result),
  };
}

/** A connect that took so much longer than the kernel's least round-trip time had to send its SYN again (ms). */
const REPEATED_SYN_MS = 900;

/** What the connect took, of which a lost SYN makes a bad measure. */
function rttOf({ network: { minRttMs } }: Result, tcpMs: number): number {
  return minRttMs !== null && tcpMs - minRttMs > REPEATED_SYN_MS ? minRttMs : tcpMs;
}

/** The round trips of all phases until each milestone. */
function tripsOf({ roundTrips }: Result): Record<Milestone, number | null> {
  const sum = (...phases: ({ took: number | null } | undefined)[]) =>
    phases.reduce<number | null>((total, phase) => {
      const took = phase?.took ?? null;
      return total === null || took === null ? null : total + took;
    }, 0);
  const { tcp, tls, firstByte, firstBody, download } = roundTrips ?? {};
  return {
    handshake: sum(tcp, tls),
    firstUsable: sum(tcp, tls, firstByte),
    firstBody: sum(tcp, tls, firstBody),
    total: sum(tcp, tls, firstByte, download),
  };
}

/** Said where something could have been there and was not, unlike null for what could not be seen. */
export const NONE = 'none';

function postureOf({ tls, http, network, roundTrips }: Result): Posture {
  const certificate = tls?.certificate;
  const resumed = tls?.resumed ?? false;
  return {
    version: tls?.version ?? null,
    alpn: tls ? (tls.alpn ?? NONE) : null,
    group: tls?.group ?? null,
    helloRetry: yesOrNo(tls?.helloRetry),
    cipher: tls?.cipher ?? null,
    keyExchange: tls?.keyExchange ?? null,
    keyType: certificate ? `${certificate.keyType} ${certificate.keyBits ?? ''}`.trim() : null,
    certificate: certificate?.sha256 ?? null,
    issuer: certificate?.issuer ?? null,
    // A resumed handshake sends neither a chain nor a staple.
    chainBytes: resumed ? null : (certificate?.chainBytes ?? null),
    // What was not offered cannot be missed.
    certificateCompression:
      resumed || !tls?.hellos?.offeredCompression?.length ? null : (tls.certificateCompression ?? NONE),
    staple: resumed || !tls || tls.staple.status === 'not_observed' ? null : stapleOf(tls.staple.status),
    resumed: yesOrNo(tls?.resumed),
    tickets:
      tls?.session === undefined
        ? null
        : tls.session === null
          ? NONE
          : tls.session.tickets > 0
            ? 'tickets'
            : 'session id',
    recordBytes: http?.firstBodyRecordBytes ?? http?.firstRecordBytes ?? null,
    serverWindow: roundTrips?.serverWindow?.exact ? roundTrips.serverWindow.segments : null,
    nagle: nagleOf(roundTrips),
    encoding: http?.encoding === undefined ? null : (http.encoding ?? NONE),
    keepAlive: yesOrNo(http?.keepAlive),
    altSvc: http?.altSvc === undefined ? null : (http.altSvc ?? NONE),
    server: http ? (http.server ?? NONE) : null,
    peerAddress: network.peerAddress,
  };
}

const yesOrNo = (value: boolean | null | undefined) =>
  value === null || value === undefined ? null : value ? 'yes' : 'no';

/** What a handshake brings along counts, not what a responder said of it. */
const stapleOf = (status: string) => (status === 'missing' || status === 'not_applicable' ? NONE : status);

/** Whether Nagle's algorithm, or a small buffer, held something back. */
function nagleOf(roundTrips: Result['roundTrips']): string | null {
  if (!roundTrips?.waits || roundTrips.serverWindow === undefined) return null;
  return yesOrNo(roundTrips.waits.some(({ heldBy }) => heldBy === 'nagle'));
}
