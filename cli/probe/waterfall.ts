import type { Result } from '#contract/result.ts';
import type { Phase } from '#contract/vocabulary.ts';
import { handshakeLines, kernelLines, roundTripLines } from './handshake.ts';
import { milliseconds, ms, plural, row } from './layout.ts';
import { harmless, type Paint } from './paint.ts';
import { variantLines } from './variants.ts';
import { type WhatIf, whatIfLines } from './what-if.ts';

const BAR_WIDTH = 48;

/** Where each phase begins and ends, by the marks, and how it is drawn. */
const BARS: { phase: Phase; label: string; from: keyof Result['marks'] | null; colour: keyof Paint }[] = [
  { phase: 'dns', label: 'dns', from: null, colour: 'cyan' },
  { phase: 'tcp', label: 'tcp', from: 'namelookup', colour: 'green' },
  { phase: 'tls', label: 'tls', from: 'connect', colour: 'magenta' },
  { phase: 'firstByte', label: 'first byte', from: 'pretransfer', colour: 'yellow' },
  { phase: 'download', label: 'download', from: 'starttransfer', colour: 'blue' },
];

/**
 * The Results of one sequence for people, the main one first: its waterfall, the other handshakes with the same server
 * beside it, and a waterfall for each redirect that was followed.
 */
export function waterfalls(results: Result[], paint: Paint, whatIf?: WhatIf): string {
  const [main, ...others] = results;
  if (!main) return '';
  const redirects = others.filter(({ variant }) => variant === 'redirect');
  const handshakes = others.filter(({ variant }) => variant !== 'redirect');
  const lines = [...waterfall(main, paint, redirects.length > 0), ...variantLines(main, handshakes, paint)];
  for (const [index, redirect] of redirects.entries()) {
    const goesOn = index < redirects.length - 1;
    lines.push('', paint.bold(`redirect ${index + 1}`), ...waterfall(redirect, paint, goesOn));
  }
  if (whatIf) lines.push(...whatIfLines(main, whatIf, paint));
  return `${lines.join('\n')}\n`;
}

/** Bars of the phases, then round trips, handshake, certificate, staple, findings. */
function waterfall(result: Result, paint: Paint, followed: boolean): string[] {
  return [
    paint.bold(harmless(result.url)),
    ...peerLines(result),
    ...(result.tls ? [tlsLine(result.tls)] : []),
    ...httpLines(result, followed),
    '',
    ...bars(result, paint),
    '',
    ...roundTripLines(result, paint),
    ...kernelLines(result, paint),
    ...handshakeLines(result),
    ...findingLines(result, paint),
    outcome(result, paint),
  ];
}

function peerLines({ network }: Result): string[] {
  if (!network.peerAddress) return [];
  const host = network.family === 6 ? `[${network.peerAddress}]` : network.peerAddress;
  return [row('peer', `${host}:${network.peerPort}${network.resolver ? `, resolver ${network.resolver}` : ''}`)];
}

function tlsLine({ version, cipher, group, alpn, resumed, helloRetry }: NonNullable<Result['tls']>): string {
  const parts = [version, cipher, group, alpn && `ALPN ${alpn}`, resumed && 'resumed', helloRetry && 'hello retry'];
  const said = parts.filter((part) => typeof part === 'string').join(', ');
  return row('tls', harmless(said === '' ? 'nothing negotiated' : said));
}

function httpLines({ http }: Result, followed: boolean): string[] {
  if (!http) return [];
  const parts = [`HTTP/${http.version} ${http.status}`, `${http.bytes} bytes${cutNote(http)}`];
  if (http.records !== null)
    parts.push(`${http.records} records (first ${http.firstRecordBytes}, largest ${http.maxRecordBytes} bytes)`);
  if (http.server) parts.push(`server ${http.server}`);
  if (http.location) parts.push(`redirect to ${http.location}, ${followed ? 'followed below' : 'not followed'}`);
  return [row('http', harmless(parts.join(', '))), ...answerLines(http)];
}

function cutNote({ bodyCut }: NonNullable<Result['http']>): string {
  if (!bodyCut) return '';
  const of = bodyCut.expectedBytes === null ? '' : ` of ${bodyCut.expectedBytes}`;
  return bodyCut.by === 'limit' ? `${of} (only the first MiB is read)` : `${of} (cut by the server)`;
}

/** The first packet of the answer, and the first byte of it that can be read: a whole record later. */
function answerLines({ firstPacketMs = null, firstUsableMs = null }: NonNullable<Result['http']>): string[] {
  if (firstPacketMs === null || firstUsableMs === null) return [];
  const packet = `first packet after ${ms(firstPacketMs)}`;
  return [row('response', `${packet}, first usable byte after ${ms(firstUsableMs)}`)];
}

function bars(result: Result, paint: Paint): string[] {
  const scale = BAR_WIDTH / Math.max(result.marks.total ?? 0, 0.001);
  const lines = BARS.map(({ phase, label, from, colour }) => {
    const duration = result.phases[phase];
    if (duration === null) return `  ${label.padEnd(11)}${milliseconds(null)}`;
    const start = Math.round(((from && result.marks[from]) ?? 0) * scale);
    const length = Math.max(1, Math.round(duration * scale));
    const bar = paint[colour]('█'.repeat(Math.min(length, Math.max(1, BAR_WIDTH - start))));
    return `  ${label.padEnd(11)}${milliseconds(duration)}  ${' '.repeat(Math.min(start, BAR_WIDTH - 1))}${bar}`;
  });
  return [...lines, `  ${'total'.padEnd(11)}${milliseconds(result.phases.total)}`];
}

function findingLines({ findings }: Result, paint: Paint): string[] {
  const colours = { info: paint.dim, warning: paint.yellow, critical: paint.red };
  return findings.map(({ code, severity, savesRoundTrips, savesMs, evidence }) => {
    const saves = savesMs === null ? '' : ` Saves ${plural(savesRoundTrips ?? 0, 'round trip')}, ${ms(savesMs)}.`;
    return row('finding', `${colours[severity](`${severity} ${code}`)}: ${harmless(evidence)}.${saves}`);
  });
}

function outcome({ ok, failure, prober }: Result, paint: Paint): string {
  const late = prober.lateMs ?? prober.loopDelayMs;
  const unclean = prober.clean ? '' : paint.yellow(` (this machine was busy: about ${ms(late)} may be its own delay)`);
  if (ok || !failure) return paint.green('ok') + unclean;
  const { phase, reason, source, message } = failure;
  return paint.red(`FAILED in ${phase}: ${reason} (${source}): ${harmless(message)}`) + unclean;
}
