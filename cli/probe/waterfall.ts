import type { Result } from '#contract/result.ts';
import { ProbeSettings } from '#contract/target.ts';
import { phaseBars } from './bars.ts';
import { handshakeLines, kernelLines, roundTripLines } from './handshake.ts';
import { ms, plural, row } from './layout.ts';
import { harmless, type Paint } from './paint.ts';
import type { WhatIf } from './prediction.ts';
import { variantLines } from './variants.ts';
import { findingLines, fixLines, type Judgement, judgementOf, leastTlsOf, verdictLines } from './verdict.ts';
import { whatIfLines } from './what-if.ts';

/** How Results are shown to people. */
export type Shown = {
  settings: ProbeSettings;
  /** All that is known of findings and advice. */
  explain: boolean;
  /** Whether what to change is said here; of many probes it is said once, at the end. */
  fixes: boolean;
  whatIf: WhatIf | null;
};

/**
 * The Results of one sequence for people, the main one first: its waterfall, the other handshakes with the same server
 * beside it, and a waterfall for each redirect that was followed.
 */
export function waterfalls(results: Result[], paint: Paint, given: Partial<Shown> = {}): string {
  const shown: Shown = { settings: ProbeSettings.parse({}), explain: false, fixes: true, whatIf: null, ...given };
  const [main, ...others] = results;
  if (!main) return '';
  const redirects = others.filter(({ variant }) => variant === 'redirect');
  const handshakes = others.filter(({ variant }) => variant !== 'redirect');
  const judgement = judgementOf([results], shown.settings);
  const lines = [
    ...waterfall(main, judgement, shown, paint, redirects.length > 0),
    ...variantLines(main, handshakes, paint),
  ];
  for (const [index, redirect] of redirects.entries()) {
    const goesOn = index < redirects.length - 1;
    lines.push(
      '',
      paint.bold(`redirect ${index + 1}`),
      ...waterfall(redirect, judgementOf([[asMain(redirect)]], shown.settings), shown, paint, goesOn),
    );
  }
  if (shown.whatIf) lines.push(...whatIfLines([results], shown.whatIf, paint));
  return `${lines.join('\n')}\n`;
}

/** A redirect's end is judged as a server of its own. */
const asMain = (redirect: Result): Result => ({ ...redirect, variant: 'main' });

/** Bars of the phases and what they amount to, then round trips, handshake, certificate, staple, findings. */
function waterfall(
  result: Result,
  judgement: Judgement,
  { explain, fixes }: Shown,
  paint: Paint,
  followed: boolean,
): string[] {
  return [
    paint.bold(harmless(result.url)),
    ...peerLines(result),
    ...(result.tls ? [tlsLine(result.tls)] : []),
    ...httpLines(result, followed),
    '',
    ...phaseBars(result, paint, leastTlsOf(result, judgement)),
    '',
    ...verdictLines(judgement, paint),
    ...(fixes ? fixLines(judgement, explain, paint) : []),
    ...roundTripLines(result, paint),
    ...kernelLines(result, paint),
    ...handshakeLines(result),
    ...findingLines(result, explain, paint),
    outcome(result, paint),
  ];
}

function peerLines({ network }: Result): string[] {
  if (!network.peerAddress) return [];
  const host = network.family === 6 ? `[${network.peerAddress}]` : network.peerAddress;
  return [
    row('peer', `${host}:${network.peerPort}${network.resolver ? `, resolver ${network.resolver}` : ''}`),
    ...attemptLines(network),
  ];
}

/** Each connect, where more than one address was tried. */
function attemptLines({ attempts = [] }: Result['network']): string[] {
  return attempts.map(({ address, atMs, durationMs, reason, syns }, index) => {
    const sent = syns === null ? '' : `, ${plural(syns, 'SYN')}`;
    const outcome = reason === null ? `connected in ${ms(durationMs)}` : `${reason} after ${ms(durationMs)}`;
    return row(index === 0 ? 'attempts' : '', `${address} at ${ms(atMs)}: ${outcome}${sent}`);
  });
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

function outcome({ ok, failure, prober }: Result, paint: Paint): string {
  const late = prober.lateMs ?? prober.loopDelayMs;
  const unclean = prober.clean ? '' : paint.yellow(` (this machine was busy: about ${ms(late)} may be its own delay)`);
  if (ok || !failure) return paint.green('ok') + unclean;
  const { phase, reason, source, message } = failure;
  return paint.red(`FAILED in ${phase}: ${reason} (${source}): ${harmless(message)}`) + unclean;
}
