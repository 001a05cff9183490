import { type Certificate, expirySeverity, firstToEnd } from '#contract/certificate.ts';
import type { Finding, Result } from '#contract/result.ts';
import { chainFindings } from './chain.ts';
import { fact, shortened, type Tls, type Values } from './finding.ts';

const DAY_MS = 86_400_000;

/** What is wrong with the staple. */
export function stapleFindings({ staple, certificate, resumed }: Tls): Finding[] {
  if (resumed || !certificate) return [];
  const severity = certificate.mustStaple ? 'critical' : 'warning';
  const found: Finding[] = [];
  const { status, nextUpdate } = staple;
  if (status === 'stale') {
    const evidence = `the stapled OCSP response expired on ${nextUpdate}`;
    found.push(fact('staple_stale', severity, evidence, { nextUpdateAt: nextUpdate ?? '' }));
  }
  if (status === 'missing') {
    // Browsers do not wait for one: without a demand for it, it costs nothing.
    const missing = certificate.mustStaple ? 'critical' : 'info';
    const evidence = 'the certificate names an OCSP responder, but nothing was stapled';
    found.push(fact('staple_missing', missing, evidence, {}));
  }
  if (status === 'revoked')
    found.push(fact('staple_revoked', 'critical', 'the stapled OCSP response says: revoked', {}));
  const useless = status === 'invalid' || status === 'malformed' || status === 'unsuccessful' || status === 'unknown';
  if (useless) found.push(fact('staple_invalid', severity, `the stapled OCSP response is ${status}`, { status }));
  if (certificate.mustStaple && !['good', 'unverified', 'not_observed'].includes(status)) {
    const evidence = `the certificate demands a staple (RFC 7633), and the staple is ${status}`;
    found.push(fact('must_staple_violated', 'critical', evidence, { status }));
  }
  return found;
}

/** What is wrong with the certificate, or soon will be, and with the chain as it was sent. */
export function certificateFindings(result: Result, { certificate }: Tls): Finding[] {
  if (!certificate) return [];
  return [...chainFindings(certificate), ...expiryFindings(result, certificate)];
}

function expiryFindings(result: Result, certificate: Certificate): Finding[] {
  const { notBefore, notAfter, intermediate } = firstToEnd(certificate);
  if (!notBefore || !notAfter) return [];
  const at = Date.parse(result.startedAt);
  const severity = expirySeverity(notBefore, notAfter, at);
  if (severity === null) return [];
  const days = Math.floor((Date.parse(notAfter) - at) / DAY_MS);
  const of = Math.round((Date.parse(notAfter) - Date.parse(notBefore)) / DAY_MS);
  const which =
    intermediate === null ? 'the certificate' : `the intermediate certificate ${intermediate.slice(0, 300)}`;
  const evidence = `${which} expires on ${notAfter}, in ${days} days, after a lifetime of ${of}`;
  const values = { notAfterAt: notAfter, days, lifetimeDays: of };
  const named: Values = intermediate === null ? values : { ...values, intermediate: shortened(intermediate) };
  return [fact('cert_expires_soon', severity, evidence, named)];
}
