import { expirySeverity, firstToEnd, MOST_LIFETIME_MS } from '#contract/certificate.ts';
import type { Result } from '#contract/result.ts';
import { uselessBytes } from './handshake-rules.ts';
import { perResult, type Rule, type Shown, type Values } from './rule.ts';
import { isMain, type Window } from './window.ts';

const DAY_MS = 86_400_000;
/** Shares of a certificate's lifetime that are left: lifetimes shrink from 200 to 47 days, and 6-day ones exist. */
const CRITICAL_SHARE = 1 / 6;
/** Servers staple late after a start: fewer full handshakes show nothing. */
const LEAST_STAPLES = 3;
/** Of these, so many must lack it. */
const MISSING_SHARE = 0.9;
/** States of a staple that say nothing about the server's. */
const UNTOLD = ['not_observed', 'not_applicable', 'unverified'];
/** States of a staple that a strict client refuses. */
const USELESS = ['stale', 'invalid', 'malformed', 'unsuccessful'];

const withCertificate = ({ all }: Window): Result[] => all.filter((each) => isMain(each) && each.tls?.certificate);
/** The newest Result alone: a certificate that was replaced meanwhile is no matter any more. */
const newest = (window: Window): Result[] => withCertificate(window).slice(-1);

/** No staple although the certificate names a responder. Clients wait for nothing: a fault with must-staple alone. */
export const stapleMissing: Rule = {
  code: 'staple_missing',
  severity: ({ mustStaple }) => (mustStaple === 'yes' ? 'critical' : 'info'),
  occasion: 'first',
  notice: ({ mustStaple }) => mustStaple !== 'yes',
  certain: true,
  worstFirst: ({ mustStaple }) => (mustStaple === 'yes' ? 0 : 1),
  find: perResult(
    ({ tls }) => {
      const { certificate, staple } = tls ?? {};
      if (!certificate?.ocspUrl || !staple || staple.status === 'not_observed') return 'unknown';
      return staple.status === 'missing' ? mustStapleShown(certificate, staple.status) : 'clear';
    },
    { of: withCertificate, least: LEAST_STAPLES, share: MISSING_SHARE },
  ),
};

/** A staple that clients must not rely on: out of date, or none of the responder's. */
export const stapleStale: Rule = {
  code: 'staple_stale',
  severity: ({ mustStaple }) => (mustStaple === 'yes' ? 'critical' : 'warning'),
  occasion: 'first',
  certain: true,
  worstFirst: ({ mustStaple }) => (mustStaple === 'yes' ? 0 : 1),
  find: perResult(
    ({ tls }) => {
      const { certificate, staple } = tls ?? {};
      if (!certificate || !staple || UNTOLD.includes(staple.status)) return 'unknown';
      if (!USELESS.includes(staple.status)) return 'clear';
      const shown = mustStapleShown(certificate, staple.status);
      const values: Values = { ...shown.values, stapleBytes: staple.bytes };
      if (staple.nextUpdate) values.nextUpdate = staple.nextUpdate;
      return { changes: certificate.mustStaple ? [] : [{ kind: 'noStaple' }], values };
    },
    { of: withCertificate },
  ),
};

function mustStapleShown({ mustStaple }: { mustStaple: boolean }, status: string): Shown {
  return { changes: [], values: { status, mustStaple: mustStaple ? 'yes' : 'no' } };
}

/** The certificate ends soon, by the share of its lifetime that is left. */
export const certificateExpiry: Rule = {
  code: 'certificate_expiry',
  severity: ({ share }) => (Number(share) <= CRITICAL_SHARE ? 'critical' : 'warning'),
  occasion: 'first',
  certain: true,
  worstFirst: ({ share }) => Number(share),
  find: perResult(
    ({ tls, startedAt }) => {
      if (!tls?.certificate) return 'unknown';
      const { notBefore, notAfter, intermediate } = firstToEnd(tls.certificate);
      if (!notBefore || !notAfter) return 'unknown';
      const [from, to, now] = [notBefore, notAfter, startedAt].map((each) => Date.parse(each)) as [
        number,
        number,
        number,
      ];
      if (to <= from) return 'unknown';
      // What has ended is a failure, and no advice is needed to see it.
      if (expirySeverity(notBefore, notAfter, now) === null) return 'clear';
      const share = (to - now) / Math.min(to - from, MOST_LIFETIME_MS);
      const days = Math.floor((to - now) / DAY_MS);
      const lifetimeDays = Math.round((to - from) / DAY_MS);
      const rounded = Math.round(share * 1_000) / 1_000;
      const values: Values = { notAfter, days, lifetimeDays, share: rounded, intermediate: intermediate ?? 'none' };
      return { changes: [], values };
    },
    { of: newest },
  ),
};

/** Something is odd about the chain as it was sent. */
export const chainProblem: Rule = {
  code: 'chain_problem',
  severity: ({ problem }) =>
    problem === 'missing_intermediate' ? 'critical' : problem === 'wrong_order' ? 'warning' : 'info',
  occasion: 'first',
  certain: true,
  worstFirst: ({ problem }) => (WORST_FIRST as readonly unknown[]).indexOf(problem),
  find: perResult(
    ({ tls }) => {
      const sent = tls?.certificate?.sent;
      if (!sent) return 'unknown';
      const problem = WORST_FIRST.find((each) => sent.problems.includes(each));
      if (!problem) return 'clear';
      const bytes = (tls.certificate?.chainBytes ?? 0) - uselessBytes(sent.certificates);
      return {
        changes: problem !== 'missing_intermediate' && bytes > 0 ? [{ kind: 'chain', bytes }] : [],
        values: { problem, messageBytes: sent.messageBytes, certificates: sent.certificates.length },
      };
    },
    { of: newest },
  ),
};

const WORST_FIRST = [
  'missing_intermediate',
  'wrong_order',
  'extra_certificates',
  'duplicate_certificates',
  'root_sent',
] as const;
