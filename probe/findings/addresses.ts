import type { ConnectAttempt, Finding, Result } from '#contract/result.ts';
import { fitting, roundMs } from '../format.ts';

/** Browsers start a connect to the next address when the one before has not answered for so long, ms (RFC 8305, section 5). */
const ATTEMPT_DELAY_MS = 250;

/**
 * Addresses of the name that did not connect before another one did: what they cost here, where they are tried one after
 * the other as most clients do, and what they cost browsers, which race them.
 */
export function addressFindings({ network }: Result): Finding[] {
  const { attempts = [] } = network;
  const dead = attempts.filter(isDead);
  const [first] = dead;
  const connected = attempts.find(({ reason }) => reason === null);
  if (!first || !connected) return [];
  const lostMs = roundMs(dead.reduce((sum, { durationMs }) => sum + durationMs, 0));
  const raceMs = roundMs(dead.reduce((sum, { durationMs }) => sum + Math.min(durationMs, ATTEMPT_DELAY_MS), 0));
  const shown = dead.map(({ address, reason, durationMs, syns }) => {
    const sent = syns === null ? '' : `, ${syns} SYN${syns === 1 ? '' : 's'}`;
    return `${address} (${reason} after ${durationMs.toFixed(1)} ms${sent})`;
  });
  const cost = `${lostMs.toFixed(1)} ms were lost before ${connected.address} connected`;
  const race = `a browser, which tries the next address after ${ATTEMPT_DELAY_MS} ms (RFC 8305), loses ${raceMs.toFixed(1)} ms`;
  return [
    {
      code: 'dead_address',
      severity: 'warning',
      savesRoundTrips: null,
      savesMs: lostMs,
      evidence: fitting(`no connection to ${shown.join(', ')}: ${cost}; ${race}`, 1_000),
      values: {
        addresses: dead.map(({ address }) => address).join(', '),
        dead: dead.length,
        reason: first.reason ?? '',
        syns: dead.reduce((sum, { syns }) => sum + (syns ?? 0), 0),
        connected: connected.address,
        lostMs,
        raceMs,
      },
    },
  ];
}

/** Not what this prober has no way to, or must not reach: that says nothing about the address. */
const isDead = ({ reason }: ConnectAttempt): boolean => reason?.startsWith('tcp_') ?? false;
