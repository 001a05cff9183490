import type { Result } from '#contract/result.ts';
import { perResult, type Rule, type Shown, type Verdict } from './rule.ts';
import { isMain } from './window.ts';

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
      return tls.session === null ? shownOf(tls, 'none') : 'clear';
    },
    { of: ({ all }) => (all.some(isResumption) ? all.filter(isResumption) : all.filter(isMain)) },
  ),
};

const isResumption = ({ variant }: Result): boolean => variant === 'resumed';

/** A second handshake that was full although it offered a session: the engine says whether the server is to blame. */
function refusal(result: Result, tls: Tls): Verdict {
  const isRefused = result.findings.some(({ code }) => code === 'tickets_do_not_resume');
  return isRefused ? shownOf(tls, 'refused') : 'unknown';
}

const shownOf = ({ version }: Tls, reason: 'none' | 'refused'): Shown => ({
  changes: [{ kind: 'resume' }],
  values: { reason, version: version ?? '' },
});

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
    return { changes: [{ kind: 'earlyData' }], values: {} };
  }),
};
