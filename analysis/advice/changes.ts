import type { AdviceClient, Savings } from '#contract/advice.ts';
import type { Result, VantageRef } from '#contract/result.ts';
import type { Change } from '../what-if/what-if.ts';
import type { AdviceOptions } from './advice.ts';
import { isFile, isPacked, isServerBusy } from './answer-rules.ts';
import { isPathFull } from './handshake-rules.ts';
import { fittingChain, median, rttOf, type Window, windowsOf } from './window.ts';
import { mapSavings, modelled, mostSaved, windowFacts } from './worth.ts';

/** A change that pays: what it saves on average, ms, to browsers and to other clients. `together`: all of them at once. */
export type PayingChange = { changes: readonly Change[]; together: boolean; gains: Record<AdviceClient, Savings> };

/** What saves less on average (ms) is within the error of the model. */
const LEAST_MS = 2;
/** The model is asked about so many vantages at most, from the nearest to the farthest. */
const MOST_VANTAGES = 15;

/** What may be changed about a server on a first visit; `chain` is made to fit the window (`fittingChain`). */
const CANDIDATES: readonly Change[] = [
  { kind: 'tls13' },
  { kind: 'ecdsa' },
  { kind: 'compressCertificate' },
  { kind: 'noStaple' },
  { kind: 'window', segments: 10 },
  { kind: 'noDelay' },
  { kind: 'records', bytes: 4_096 },
  { kind: 'compressBody', ratio: 0.25 },
];

/** The changes that pay at a target by the model of a TCP sender, the largest first, and all of them together. */
export function changesThatPay(results: readonly Result[], options: AdviceOptions = {}): PayingChange[] {
  const { weightOf = () => 1, settings = {} } = options;
  const windows = spread(windowsOf(results).filter((window) => windowFacts(window) !== null));
  const chain = median(windows.flatMap(({ full }) => full.flatMap((result) => fittingChain(result) ?? [])));
  const candidates = [...CANDIDATES, ...(chain === null ? [] : [{ kind: 'chain' as const, bytes: chain }])];
  const known = candidates.filter((change) => windows.some((window) => isOpen(change, window, settings)));
  const paying = known
    .map((change) => ({ changes: [change], together: false, gains: gainsOf(windows, [change], weightOf) }))
    .filter(({ gains }) => mostOf(gains) >= LEAST_MS)
    .toSorted((a, b) => mostOf(b.gains) - mostOf(a.gains));
  if (paying.length < 2) return paying;
  // The chain that fits is of the certificates there are; an ECDSA chain is made of what is left of it.
  const all = paying.flatMap(({ changes }) => changes).toSorted((a, b) => orderOf(a) - orderOf(b));
  return [...paying, { changes: all, together: true, gains: gainsOf(windows, all, weightOf) }];
}

const orderOf = ({ kind }: Change) => (kind === 'tls13' ? 0 : kind === 'chain' ? 1 : 2);

const mostOf = ({ browser, api }: PayingChange['gains']): number => Math.max(mostSaved(browser), mostSaved(api));

/** Some vantages by their round-trip time, all where they are few. */
function spread(windows: readonly Window[]): Window[] {
  const sorted = windows.toSorted((a, b) => (a.rttMs ?? 0) - (b.rttMs ?? 0));
  if (sorted.length <= MOST_VANTAGES) return sorted;
  const step = (sorted.length - 1) / (MOST_VANTAGES - 1);
  return Array.from({ length: MOST_VANTAGES }, (_, index) => sorted[Math.round(index * step)] as Window);
}

function gainsOf(
  windows: readonly Window[],
  changes: readonly Change[],
  weightOf: (vantage: VantageRef | null) => number,
): Record<AdviceClient, Savings> {
  const weights = windows.reduce((sum, { ref }) => sum + weightOf(ref), 0);
  const meanOf = (client: AdviceClient) => {
    const saved = windows.map((window) => ({ saves: modelled(window, changes, client), weight: weightOf(window.ref) }));
    return mapSavings((milestone) =>
      weights === 0
        ? 0
        : saved.reduce((sum, { saves, weight }) => sum + (saves?.[milestone] ?? 0) * weight, 0) / weights,
    );
  };
  return { browser: meanOf('browser'), api: meanOf('api') };
}

/** Whether a change is there to be made at all: what advice.ts would not say is not predicted either. */
function isOpen(change: Change, window: Window, settings: AdviceOptions['settings']): boolean {
  const result = window.full.at(-1);
  if (!result || rttOf(result) === null) return false;
  const { tls, http, roundTrips } = result;
  const isWhole = http !== null && !isFile(http);
  switch (change.kind) {
    case 'tls13':
      return tls?.version !== 'TLSv1.3' && Boolean(tls?.hellos?.offeredVersions.includes('TLSv1.3'));
    case 'ecdsa':
      return Boolean(tls?.certificate?.keyType.startsWith('rsa')) && settings?.sigalgs !== 'RSA';
    case 'window':
      return !isPathFull(window) && (roundTrips?.serverWindow?.segments ?? change.segments) < change.segments;
    case 'records':
      return isWhole && !isServerBusy(result) && (http.maxRecordBytes ?? 0) > 2 * change.bytes;
    case 'compressBody':
      return isWhole && !isPacked(result.url) && settings?.compression === true && (http.encoding ?? null) === null;
    case 'noStaple':
      return !tls?.certificate?.mustStaple && (tls?.staple.bytes ?? 0) > 0;
    case 'compressCertificate':
      return tls?.version === 'TLSv1.3';
    default:
      return true;
  }
}
