import { stripVTControlCharacters } from 'node:util';
import type { Result } from '#contract/result.ts';
import type { Phase } from '#contract/vocabulary.ts';
import { harmless, type Paint } from './paint.ts';

const BAR_WIDTH = 48;
const LABEL_WIDTH = 13;
const TEXT_WIDTH = 80 - 2 - LABEL_WIDTH;
const DAY_MS = 86_400_000;

/** Where each phase begins and ends, by the marks, and how it is drawn. */
const BARS: { phase: Phase; label: string; from: keyof Result['marks'] | null; colour: keyof Paint }[] = [
  { phase: 'dns', label: 'dns', from: null, colour: 'cyan' },
  { phase: 'tcp', label: 'tcp', from: 'namelookup', colour: 'green' },
  { phase: 'tls', label: 'tls', from: 'connect', colour: 'magenta' },
  { phase: 'firstByte', label: 'first byte', from: 'pretransfer', colour: 'yellow' },
  { phase: 'download', label: 'download', from: 'starttransfer', colour: 'blue' },
];

/** One Result for people: bars of the phases, then handshake, certificate, staple, findings. */
export function waterfall(result: Result, paint: Paint): string {
  const lines = [
    paint.bold(harmless(result.url)),
    ...peerLines(result),
    ...(result.tls ? [tlsLine(result.tls)] : []),
    ...httpLines(result),
    '',
    ...bars(result, paint),
    '',
    ...(result.tls ? handshakeLines(result.tls, result.startedAt) : []),
    ...findingLines(result, paint),
    outcome(result, paint),
  ];
  return `${lines.join('\n')}\n`;
}

function peerLines({ network }: Result): string[] {
  if (!network.peerAddress) return [];
  const host = network.family === 6 ? `[${network.peerAddress}]` : network.peerAddress;
  return [row('peer', `${host}:${network.peerPort}${network.resolver ? `, resolver ${network.resolver}` : ''}`)];
}

function tlsLine({ version, cipher, group, alpn, resumed, helloRetry }: NonNullable<Result['tls']>): string {
  const parts = [version, cipher, group, alpn && `ALPN ${alpn}`, resumed && 'resumed', helloRetry && 'hello retry'];
  const said = parts.filter((part) => typeof part === 'string').join(', ');
  return row('tls', harmless(said === '' ? 'nothing agreed' : said));
}

function httpLines({ http }: Result): string[] {
  if (!http) return [];
  const parts = [`HTTP/${http.version} ${http.status}`, `${http.bytes} bytes`];
  if (http.records !== null)
    parts.push(`${http.records} records (first ${http.firstRecordBytes}, largest ${http.maxRecordBytes} bytes)`);
  if (http.server) parts.push(`server ${http.server}`);
  if (http.location) parts.push(`redirect to ${http.location}, not followed`);
  return [row('http', harmless(parts.join(', ')))];
}

function bars(result: Result, paint: Paint): string[] {
  const scale = BAR_WIDTH / Math.max(result.marks.total ?? 0, 0.001);
  const lines = BARS.map(({ phase, label, from, colour }) => {
    const duration = result.phases[phase];
    if (duration === null) return `  ${label.padEnd(11)}${'-'.padStart(10)}`;
    const start = Math.round(((from && result.marks[from]) ?? 0) * scale);
    const length = Math.max(1, Math.round(duration * scale));
    const bar = paint[colour]('█'.repeat(Math.min(length, Math.max(1, BAR_WIDTH - start))));
    return `  ${label.padEnd(11)}${milliseconds(duration)}  ${' '.repeat(Math.min(start, BAR_WIDTH - 1))}${bar}`;
  });
  const { total } = result.phases;
  return [...lines, `  ${'total'.padEnd(11)}${total === null ? '-' : milliseconds(total)}`];
}

function handshakeLines({ handshake, certificate, staple }: NonNullable<Result['tls']>, startedAt: string): string[] {
  const trips =
    handshake.roundTrips === null ? 'round trips not told' : `${plural(handshake.roundTrips, 'round trip')}`;
  const due = handshake.expectedRoundTrips === null ? '' : ` (${handshake.expectedRoundTrips} due)`;
  const times =
    handshake.wireMs === null
      ? ''
      : `, wire ${handshake.wireMs.toFixed(1)} ms, local ${handshake.localMs?.toFixed(1)} ms`;
  const amounts = `${plural(handshake.records, 'record')}, ${handshake.bytesIn} bytes in, ${handshake.bytesOut} out`;
  const lines = [row('handshake', `${trips}${due}${times}, ${amounts}`)];
  if (certificate) {
    const { subject, issuer, notAfter, keyType, keyBits, verified, verifyError, chainLength, chainBytes } = certificate;
    const days = notAfter === null ? null : Math.floor((Date.parse(notAfter) - Date.parse(startedAt)) / DAY_MS);
    const until = notAfter === null ? 'without an expiry' : `until ${notAfter.slice(0, 10)} (${days} days)`;
    const chain = chainLength === null ? '' : `, chain of ${chainLength} (${chainBytes} bytes)`;
    lines.push(row('certificate', harmless(`${subject}, ${keyType} ${keyBits ?? ''}, ${until}${chain}`)));
    lines.push(row('', harmless(`by ${issuer}; ${verified ? 'verified' : `NOT verified: ${verifyError}`}`)));
  }
  lines.push(row('staple', `${staple.status}${staple.nextUpdate ? `, next update ${staple.nextUpdate}` : ''}`));
  return lines;
}

function findingLines({ findings }: Result, paint: Paint): string[] {
  const colours = { info: paint.dim, warning: paint.yellow, critical: paint.red };
  return findings.map(({ code, severity, savesRoundTrips, savesMs, evidence }) => {
    const saves =
      savesMs === null ? '' : ` Saves ${plural(savesRoundTrips ?? 0, 'round trip')}, ${savesMs.toFixed(1)} ms.`;
    return row('finding', `${colours[severity](`${severity} ${code}`)}: ${harmless(evidence)}.${saves}`);
  });
}

function outcome({ ok, failure, prober }: Result, paint: Paint): string {
  const unclean = prober.clean
    ? ''
    : paint.yellow(` (this machine was busy: up to ${prober.loopDelayMs.toFixed(1)} ms may be its own)`);
  if (ok || !failure) return paint.green('ok') + unclean;
  const { phase, reason, source, message } = failure;
  return paint.red(`FAILED in ${phase}: ${reason} (${source}): ${harmless(message)}`) + unclean;
}

/** A label and its text, broken between words so that it fits a terminal of 80 columns. */
function row(label: string, text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    const joined = line === '' ? word : `${line} ${word}`;
    if (line === '' || shownLength(joined) <= TEXT_WIDTH) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines.map((line, index) => `  ${(index === 0 ? label : '').padEnd(LABEL_WIDTH)}${line}`).join('\n');
}

/** Columns that a text takes, without the codes of its colours. */
function shownLength(text: string): number {
  return stripVTControlCharacters(text).length;
}

export function milliseconds(value: number): string {
  return `${value.toFixed(value < 1 ? 3 : 1)} ms`.padStart(10);
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
