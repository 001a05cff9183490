import { adviceOf } from '#analysis/advice/advice.ts';
import { deadAddressOf } from '#analysis/advice/dead-address.ts';
import { wasteOf } from '#analysis/advice/waste.ts';
import type { AdviceFacts, DeadAddress, Savings, ServerKind, Waste } from '#contract/advice.ts';
import type { Result } from '#contract/result.ts';
import type { ProbeSettings } from '#contract/target.ts';
import { adviceTexts } from '#i18n/advice.ts';
import { translator } from '#i18n/translator.ts';
import type { Voice } from '#i18n/ui.ts';
import { ms, plural, row } from './layout.ts';
import { harmless, type Paint } from './paint.ts';

/** What Results of one server say together: what to change, how many round trips are waste to an API client, and which address is dead. */
export type Judgement = {
  advice: AdviceFacts[];
  waste: Waste | null;
  deadAddress: DeadAddress | null;
  countable: boolean;
};

/** Advice that is printed unless all is asked for. */
const MOST_FIXES = 3;
/** Where the server does not say what it is. */
const SERVERS: readonly ServerKind[] = ['nginx', 'apache', 'haproxy', 'caddy', 'node', 'cdn'];
/** What waste is rounded to (ms). */
const LEAST_MS = 0.1;
const CURRENT_TLS = 'TLSv1.3';
const OF_THE_VERSION = ['tls12', 'no_false_start'];

export function judgementOf(sequences: readonly Result[][], settings: ProbeSettings): Judgement {
  const handshakes = sequences.map((sequence) => sequence.filter(({ variant = 'main' }) => variant !== 'redirect'));
  const own = restedOrAll(handshakes).flat();
  const mains = own.filter(({ variant = 'main', ok }) => variant === 'main' && ok);
  const advice = adviceOf(own, { client: 'api', settings });
  return {
    advice,
    waste: wasteOf(own, advice, 'api'),
    deadAddress: deadAddressOf(own),
    countable: mains.some(isCountable),
  };
}

/** Sequences measured by a machine at rest; where there are none, all of them: each says by itself that the machine was busy. */
export function restedOrAll(sequences: readonly (readonly Result[])[]): Result[][] {
  const rested = sequences.filter((sequence) => sequence.length > 0 && sequence.every(({ prober }) => prober.clean));
  if (rested.length > 0) return rested.map((sequence) => [...sequence]);
  return sequences.map((sequence) =>
    sequence.map((result) => ({ ...result, prober: { ...result.prober, clean: true } })),
  );
}

/** Whether the round trips of a Result are its server's: counted, in full, and without loss. */
function isCountable({ tls, roundTrips, findings }: Result): boolean {
  const counted = typeof roundTrips?.tls.took === 'number' && tls?.resumed === false;
  return counted && !findings.some(({ code }) => code === 'loss');
}

/** Round trips of TLS at best: one where the advice is to change its version, else what the version takes. */
export function leastTlsOf({ tls }: Result, { advice }: Judgement): number | null {
  if (tls?.version === CURRENT_TLS) return 1;
  return advice.some(({ code }) => OF_THE_VERSION.includes(code)) ? 1 : null;
}

/**
 * One line: what went to a dead address, how many round trips are waste, and what they cost until the first byte of the body and
 * of the whole.
 */
export function verdictLines({ waste, deadAddress, countable }: Judgement, paint: Paint): string[] {
  const dead = deadAddress && paint.bold(lossOf(deadAddress));
  const trips = countable ? tripsText(waste, paint) : null;
  const said = [dead, trips].filter((text) => text !== null);
  return said.length > 0 ? [row('verdict', said.join('; '))] : [];
}

function lossOf({ addresses, results, ofResults, ms: lost, ofMs }: DeadAddress): string {
  const often = ofResults > 1 ? ` in ${results} of ${plural(ofResults, 'probe')}` : '';
  return `no connection to ${addresses.join(', ')}: ${costOf({ ms: lost, ofMs })} ms lost${often}`;
}

function tripsText(waste: Waste | null, paint: Paint): string {
  if (!waste) return paint.green('no round trip is waste');
  const { wasted, roundTrips, until } = waste;
  const trips = `${wasted} of ${plural(roundTrips, 'round trip')} ${wasted === 1 ? 'is' : 'are'} waste`;
  const times = until && `${costOf(until.firstBody)} ms until the first body byte; ${costOf(until.total)} of the whole`;
  return paint.bold(times ? `${trips}: ${times}` : trips);
}

/** `1,141 of 1,909`. */
function costOf({ ms: cost, ofMs }: { ms: number; ofMs: number }): string {
  const part = cost < LEAST_MS ? (cost > -LEAST_MS ? `less than ${LEAST_MS}` : '0') : grouped(cost);
  return `${part} of ${grouped(ofMs)}`;
}

/** What to change, with the configuration that does it. With `explain` all of it: evidence, caveats, who gains what. */
export function fixLines({ advice }: Judgement, explain: boolean, paint: Paint): string[] {
  const voice: Voice = { locale: 'en', t: translator('en'), timeZone: 'UTC' };
  const pressing = explain ? advice : advice.filter(({ severity }) => severity !== 'info').slice(0, MOST_FIXES);
  const more = advice.length - pressing.length;
  return [
    ...pressing.flatMap((each) => oneFix(each, explain, voice, paint)),
    ...(more > 0 ? [row('', paint.dim(`${more} more with --explain`))] : []),
  ];
}

function oneFix(advice: AdviceFacts, explain: boolean, voice: Voice, paint: Paint): string[] {
  const { title, evidence, fix, caveat } = adviceTexts(voice, advice);
  const colour = { info: paint.dim, warning: paint.yellow, critical: paint.red }[advice.severity];
  const head = row('fix', `${colour(title)}: ${worthOf(advice)}`);
  const snippets = snippetLines(advice, explain, paint);
  if (!explain) return [head, ...(snippets.length > 0 ? snippets : [row('', harmless(fix))])];
  const { shown, judged, confidence } = advice;
  return [
    head,
    row('', harmless(evidence)),
    row('', harmless(fix)),
    ...snippets,
    row('', `But: ${harmless(caveat)}`),
    row('', paint.dim(`confidence ${confidence}: ${shown.results} of ${plural(judged.results, 'probe')} show it`)),
  ];
}

const OCCASIONS = { first: '', return: ' on a later visit', further: ' for each further request' };

/** What API clients gain until the first byte of the body, or where they gain most; and browsers where it is something else. */
function worthOf({ gains, occasion, roundTrips, basis, judged }: AdviceFacts): string {
  const [api, browser] = [most(gains.api), most(gains.browser)];
  if (api <= 0 && browser <= 0) return 'no time is saved';
  const trips = roundTrips >= 0.5 && api > 0 ? `${plural(Math.round(roundTrips), 'round trip')}, ` : '';
  const whose = Math.abs(api - browser) < 0.5 ? '' : ` for API clients, ${grouped(browser)} ms for browsers`;
  const one = judged.results === 1 ? ' (of one result)' : '';
  const note = basis === 'rule' ? ` (by rule: no response to replay)${one}` : one;
  return `saves ${trips}${grouped(api)} ms${whose}${OCCASIONS[occasion]}${note}`;
}

const most = ({ handshake, firstUsable, firstBody, total }: Savings) =>
  Math.max(handshake, firstUsable, firstBody, total);

function snippetLines({ snippets, server }: AdviceFacts, explain: boolean, paint: Paint): string[] {
  const given = SERVERS.filter((kind) => snippets[kind] !== undefined);
  const wanted = explain ? given : given.filter((kind) => kind === server);
  return wanted.flatMap((kind) =>
    // A configuration is copied: its lines stay as they are, however narrow the terminal is.
    (snippets[kind] ?? '').split('\n').map((line, index) => {
      const label = index === 0 ? `${kind}:`.padEnd(9) : ' '.repeat(9);
      return `${' '.repeat(15)}${paint.dim(label)}${paint.cyan(line)}`;
    }),
  );
}

/** `1,141`, tenths below 100 and thousandths below 1. */
function grouped(value: number): string {
  const digits = Math.abs(value) < 1 ? 3 : Math.abs(value) < 100 ? 1 : 0;
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}

/** Every finding with its evidence, and with `explain` the figures of it. */
export function findingLines({ findings }: Result, explain: boolean, paint: Paint): string[] {
  const colours = { info: paint.dim, warning: paint.yellow, critical: paint.red };
  return findings.flatMap(({ code, severity, savesRoundTrips, savesMs, evidence, values = {} }) => {
    const trips = savesRoundTrips === null ? '' : `${plural(savesRoundTrips, 'round trip')}, `;
    const saves = savesMs === null ? '' : ` Saves ${trips}${ms(savesMs)}.`;
    const figures = Object.entries(values).map(([name, value]) => `${name} ${value}`);
    return [
      row('finding', `${colours[severity](`${severity} ${code}`)}: ${harmless(evidence)}.${saves}`),
      ...(explain && figures.length > 0 ? [row('', paint.dim(harmless(figures.join(', '))))] : []),
    ];
  });
}
