import type { AdviceClient, AdviceFacts, Change, Savings } from '#contract/advice.ts';
import type { Result } from '#contract/result.ts';
import { type AdviceOptions, leastVantages } from './advice.ts';
import { isFile, isPacked, isServerBusy } from './answer-rules.ts';
import { isPathFull } from './handshake-rules.ts';
import { rttOf, type Window, windowsOf } from './window.ts';
import { inOrder, meanSavings, mostSaved, promised, savedBy, windowBase } from './worth.ts';

/** A change that pays: what it saves on average, ms, to browsers and to other clients. `together`: all of them at once. */
export type PayingChange = { changes: readonly Change[]; together: boolean; gains: Record<AdviceClient, Savings> };

/** What saves less on average (ms) is within the error of the model. */
const LEAST_MS = 2;
/** What else may be changed about a server on a first visit, beside what is advised. */
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

/** What is made at some places alone, or before the connection that is replayed: it is no part of all changes together. */
const ELSEWHERE: ReadonlySet<Change['kind']> = new Set(['edge', 'dns', 'noRedirect']);

/**
 * The changes that pay at a target by the model of a TCP sender, the largest first, and all of the server's together. What is advised stands
 * here with the figures of the advice; the others are ways to the same end.
 */
export function changesThatPay(
  results: readonly Result[],
  advice: readonly AdviceFacts[],
  options: AdviceOptions = {},
): PayingChange[] {
  const { weightOf = () => 1, settings = {} } = options;
  const windows = windowsOf(results).filter((window) => windowBase(window)?.basis === 'model');
  const advised = advice.filter(({ occasion, notice, basis }) => occasion === 'first' && !notice && basis === 'model');
  const gainsOf = (changes: readonly Change[]): PayingChange['gains'] => {
    const weights = windows.reduce((sum, { ref }) => sum + weightOf(ref), 0);
    const meanOf = (client: AdviceClient): Savings =>
      meanSavings(
        windows.map((window) => ({
          saves: promised(savedBy, windowBase(window), changes, client),
          weight: weightOf(window.ref),
        })),
        weights,
      );
    return { browser: meanOf('browser'), api: meanOf('api') };
  };
  const has = ({ kind }: Change) => advised.some(({ changes }) => changes.some((change) => change.kind === kind));
  const others = CANDIDATES.filter((change) => {
    // A window, or that segments are held back, is seen by pauses alone, of which a busy machine makes some.
    const isInferred = change.kind === 'window' || change.kind === 'noDelay';
    const open = windows.filter(
      (window) => isOpen(change, window, settings) && (!isInferred || isWorth(change, window)),
    );
    return !has(change) && open.length >= (isInferred ? leastVantages(windows.length, false) : 1);
  });
  const paying = [
    ...advised.map(({ changes, gains }) => ({ changes, together: false, gains })),
    ...others.map((change) => ({ changes: [change], together: false, gains: gainsOf([change]) })),
  ]
    .filter(({ changes, gains }) => changes.length > 0 && mostOf(gains) >= LEAST_MS)
    .toSorted((a, b) => mostOf(b.gains) - mostOf(a.gains));
  const ofServer = paying.filter(({ changes }) => changes.every(({ kind }) => !ELSEWHERE.has(kind)));
  if (ofServer.length < 2) return paying;
  const all = inOrder(ofServer.flatMap(({ changes }) => changes));
  return [...paying, { changes: all, together: true, gains: gainsOf(all) }];
}

/** Whether it saves anybody anything at a vantage. */
const isWorth = (change: Change, window: Window): boolean =>
  mostSaved(savedBy(windowBase(window), [change], 'browser')) > 0 ||
  mostSaved(savedBy(windowBase(window), [change], 'api')) > 0;

const mostOf = ({ browser, api }: PayingChange['gains']): number => Math.max(mostSaved(browser), mostSaved(api));

const isRsa = ({ keyType }: { keyType: string }) => keyType === 'rsa';

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
      return settings?.sigalgs !== 'RSA' && Boolean(windowBase(window)?.facts.chain?.certificates.some(isRsa));
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
