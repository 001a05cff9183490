import type { Result } from '#contract/result.ts';
import { NONE, perResult, type Rule, type Shown, trips, type Verdict } from './rule.ts';
import { isMain, mayFalseStart } from './window.ts';

type Tls = NonNullable<Result['tls']>;

/** The server gives no session, or does not take back what it gave. Never a gain of first visits. */
export const noResumption: Rule = {
  code: 'no_resumption',
  severity: 'info',
  occasion: 'return',
  certain: true,
  find: perResult(
    (result) => {
      const { tls, variant, http } = result;
      if (!tls || tls.handshake.wireMs === null) return 'unknown';
      if (variant === 'resumed') return tls.resumed ? 'clear' : refusal(result, tls);
      // Tickets of TLS 1.3 come with the answer: without one nothing was waited for.
      if (tls.session === undefined || tls.resumed || !http) return 'unknown';
      return tls.session === null ? shownOf(result, tls, 'none') : 'clear';
    },
    { of: ({ all }) => (all.some(isResumption) ? all.filter(isResumption) : all.filter(isMain)) },
  ),
};

const isResumption = ({ variant }: Result): boolean => variant === 'resumed';

/** A second handshake that was full although it offered a session: the engine says whether the server is to blame. */
function refusal(result: Result, tls: Tls): Verdict {
  const isRefused = result.findings.some(({ code }) => code === 'tickets_do_not_resume');
  return isRefused ? shownOf(result, tls, 'refused') : 'unknown';
}

/** A round trip under TLS 1.2, which browsers with False Start have saved already; none under 1.3. */
function shownOf(result: Result, { version }: Tls, reason: 'none' | 'refused'): Shown {
  const one = version === 'TLSv1.2' ? trips(1, 'HUBT') : NONE;
  return {
    gains: { api: one, browser: mayFalseStart(result) ? NONE : one },
    values: { reason, version: version ?? '' },
  };
}

/** Tickets of TLS 1.3 without early data: what it saves was not measured by us. */
export const earlyData: Rule = {
  code: 'early_data',
  severity: 'info',
  occasion: 'return',
  notice: true,
  certain: true,
  find: perResult(({ tls }) => {
    if (tls?.version !== 'TLSv1.3' || !tls.session || tls.session.tickets === 0) return 'unknown';
    if (tls.session.earlyDataBytes > 0) return 'clear';
    return { gains: { browser: trips(1, 'UBT'), api: trips(1, 'UBT') }, values: {} };
  }),
};
