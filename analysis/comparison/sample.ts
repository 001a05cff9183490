import type { ComparedPhase, Milestone, Setting } from '#contract/comparison.ts';
import { connectMsOf, type Result } from '#contract/result.ts';

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
  posture: Posture;
};

/** How the server was set as this Result saw it: a text, a number, or null where it could not be seen. */
export type Posture = Record<Setting, string | number | null>;

/**
 * The sample of a Result; null for one that statistics leave out: failed, taken by a prober under load, another variant than
 * `main`, without a vantage, or without a connect.
 */
export function sampleOf(result: Result): Sample | null {
  const { vantage, marks, phases } = result;
  if (!result.ok || !result.prober.clean || (result.variant ?? 'main') !== 'main') return null;
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
    rttMs: connectMsOf(result) ?? phases.tcp,
    posture: postureOf(result),
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
