import type { Result } from '#contract/result.ts';
import type { ResultTls } from '#contract/tls.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import type { Fact } from './facts.tsx';

/** How the TLS handshake went. */
export function handshakeFacts(ui: Ui, tls: ResultTls): (Fact | null)[] {
  const { t, locale } = ui;
  const { handshake } = tls;
  const yesNo = (value: boolean) => t(value ? 'common.yes' : 'common.no');
  return [
    { term: t('result.version'), value: tls.version },
    { term: t('result.cipher'), value: tls.cipher },
    { term: t('result.group'), value: tls.group },
    { term: t('result.keyExchange'), value: tls.keyExchange ?? null },
    { term: t('results.alpn'), value: tls.alpn },
    { term: t('result.resumed'), value: yesNo(tls.resumed) },
    { term: t('result.helloRetry'), value: yesNo(tls.helloRetry) },
    tls.falseStart == null
      ? null
      : {
          term: t('result.falseStart'),
          definition: t('result.falseStartDef'),
          value: t(`result.falseStart_${tls.falseStart}`),
        },
    { term: t('result.roundTrips'), definition: t('metricDef.roundTrips'), value: roundTrips(ui, tls) },
    {
      term: t('result.rttRatio'),
      definition: t('result.rttRatioDef'),
      value: handshake.rttRatio === null ? null : formatNumber(locale, handshake.rttRatio, 2),
    },
    { term: t('result.wireMs'), definition: t('result.wireMsDef'), value: milliseconds(ui, handshake.wireMs) },
    { term: t('result.localMs'), definition: t('result.localMsDef'), value: milliseconds(ui, handshake.localMs) },
    { term: t('result.workMs'), definition: t('result.workMsDef'), value: milliseconds(ui, handshake.workMs ?? null) },
    { term: t('result.flights'), definition: t('result.flightsDef'), value: handshake.flights },
    { term: t('result.flightBytes'), value: bytesText(ui, tls.flightBytes ?? null) },
    { term: t('result.certificateCompression'), value: compressionText(ui, tls) },
    {
      term: t('result.bytes'),
      value: `${formatNumber(locale, handshake.bytesIn)} / ${formatNumber(locale, handshake.bytesOut)} ${t('unit.bytes')}`,
    },
  ];
}

function roundTrips(
  { t }: Ui,
  { handshake: { roundTrips: n, expectedRoundTrips: expected } }: ResultTls,
): string | null {
  if (n === null) return null;
  return expected === null ? t('result.roundTripsAlone', { n }) : t('result.roundTripsOf', { n, expected });
}

/** How the certificates were compressed, with both sizes; null where they were not. */
function compressionText({ t, locale }: Ui, { certificateCompression, certificate }: ResultTls): string | null {
  const { messageBytes, uncompressedBytes } = certificate?.sent ?? {};
  if (!certificateCompression) return null;
  if (messageBytes === undefined || uncompressedBytes === undefined) return certificateCompression;
  return t('result.compressedFrom', {
    algorithm: certificateCompression,
    bytes: formatNumber(locale, messageBytes),
    uncompressed: formatNumber(locale, uncompressedBytes),
  });
}

/** Addresses, and what the kernel said of the connection. */
export function networkFacts(ui: Ui, { network }: Result): (Fact | null)[] {
  const { t } = ui;
  const endpoint = (address: string | null, port: number | null) =>
    address === null ? null : `${address.includes(':') ? `[${address}]` : address}${port === null ? '' : `:${port}`}`;
  return [
    { term: t('result.peer'), value: endpoint(network.peerAddress, network.peerPort) },
    { term: t('result.local'), value: endpoint(network.localAddress, network.localPort) },
    { term: t('result.resolver'), value: network.resolver },
    { term: t('result.rtt'), definition: t('result.rttDef'), value: milliseconds(ui, network.rttMs ?? null) },
    { term: t('result.minRtt'), definition: t('result.minRttDef'), value: milliseconds(ui, network.minRttMs) },
    { term: t('result.retransmits'), value: network.retransmits },
    { term: t('result.synRetransmits'), value: network.synRetransmits ?? null },
    { term: t('result.outOfOrder'), definition: t('result.outOfOrderDef'), value: network.outOfOrder ?? null },
    { term: t('result.segmentsInOut'), value: segments(ui, network) },
    { term: t('result.mss'), value: bytesText(ui, network.mss ?? null) },
    {
      term: t('result.sndCwnd'),
      value: network.sndCwnd === null ? null : t('result.segments', { n: network.sndCwnd }),
    },
  ];
}

function segments({ locale }: Ui, { segmentsIn, segmentsOut }: Result['network']): string | null {
  if (segmentsIn == null || segmentsOut == null) return null;
  return `${formatNumber(locale, segmentsIn)} / ${formatNumber(locale, segmentsOut)}`;
}

/** How loaded the prober was. */
export function proberFacts(ui: Ui, { prober, engineVersion }: Result): Fact[] {
  const { t } = ui;
  return [
    {
      term: t('result.overloaded'),
      definition: t('results.uncleanDef'),
      value: t(prober.clean ? 'common.no' : 'common.yes'),
    },
    { term: t('result.lateMs'), definition: t('result.lateMsDef'), value: milliseconds(ui, prober.lateMs ?? null) },
    {
      term: t('result.stampedBy'),
      definition: t('result.stampedByDef'),
      value: prober.stampedBy ? t(`result.stampedBy_${prober.stampedBy}`) : null,
    },
    { term: t('result.loopDelay'), definition: t('result.loopDelayDef'), value: milliseconds(ui, prober.loopDelayMs) },
    { term: t('result.inFlight'), value: prober.inFlight },
    {
      term: t('result.clockOffset'),
      definition: t('result.clockOffsetDef'),
      value: milliseconds(ui, prober.clockOffsetMs ?? null),
    },
    { term: t('result.engine'), value: engineVersion },
  ];
}

/** What the web server answered after the handshake. */
export function httpFacts(ui: Ui, { http }: Result): (Fact | null)[] {
  const { t } = ui;
  if (!http) return [];
  const bytes = (value: number | null) => bytesText(ui, value);
  const { keepAlive = null } = http;
  return [
    { term: t('result.httpVersion'), value: `HTTP/${http.version}` },
    { term: t('result.status'), value: http.status },
    { term: t('result.server'), value: http.server },
    { term: t('result.location'), value: http.location ?? null },
    { term: t('result.body'), value: bodyOf(ui, http) },
    { term: t('result.encoding'), value: http.encoding ?? null },
    {
      term: t('result.keepAlive'),
      value: keepAlive === null ? null : t(keepAlive ? 'common.yes' : 'common.no'),
    },
    { term: t('result.altSvc'), value: http.altSvc ?? null },
    { term: t('result.workMs'), definition: t('result.workMsDef'), value: milliseconds(ui, http.workMs ?? null) },
    { term: t('result.firstRecord'), value: bytes(http.firstRecordBytes) },
    { term: t('result.firstBodyRecord'), value: bytes(http.firstBodyRecordBytes ?? null) },
    { term: t('result.maxRecord'), value: bytes(http.maxRecordBytes) },
    {
      term: t('result.answerRecords'),
      definition: t('result.answerRecordsDef'),
      value: http.records === null ? null : formatNumber(ui.locale, http.records),
    },
  ];
}

/** How much of the body was read, and who ended it before its end. */
function bodyOf(ui: Ui, { bytes, bodyCut }: NonNullable<Result['http']>): string {
  const read = formatNumber(ui.locale, bytes);
  if (!bodyCut) return `${read} ${ui.t('unit.bytes')}`;
  const by = bodyCut.by === 'limit' ? 'bodyCutLimit' : 'bodyCutServer';
  if (bodyCut.expectedBytes === null) return ui.t(`result.${by}Open`, { bytes: read });
  return ui.t(`result.${by}`, { bytes: read, expected: formatNumber(ui.locale, bodyCut.expectedBytes) });
}

/** A number of bytes with its unit. */
const bytesText = ({ t, locale }: Ui, value: number | null) =>
  value === null ? null : `${formatNumber(locale, value)} ${t('unit.bytes')}`;

const milliseconds = (ui: Ui, value: number | null) => (value === null ? null : formatQuantity(ui, value, 'ms'));
