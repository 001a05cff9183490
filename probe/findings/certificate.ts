import type { Certificate } from '#contract/certificate.ts';
import type { Finding, Result } from '#contract/result.ts';
import { chainFindings } from './chain.ts';
import { fact, type Tls } from './finding.ts';

const EXPIRES_SOON_DAYS = 21;
const DAY_MS = 86_400_000;

/** What is wrong with the staple. */
export function stapleFindings({ staple, certificate, resumed }: Tls): Finding[] {
  if (resumed || !certificate) return [];
  const severity = certificate.mustStaple ? 'critical' : 'warning';
  const found: Finding[] = [];
  const { status, nextUpdate } = staple;
  if (status === 'stale')
    found.push(fact('staple_stale', severity, `the stapled OCSP response expired on ${nextUpdate}`));
  if (status === 'missing') {
    found.push(fact('staple_missing', severity, 'the certificate names an OCSP responder, but nothing was stapled'));
  }
  if (status === 'revoked') found.push(fact('staple_revoked', 'critical', 'the stapled OCSP response says: revoked'));
  const useless = status === 'invalid' || status === 'malformed' || status === 'unsuccessful' || status === 'unknown';
  if (useless) found.push(fact('staple_invalid', severity, `the stapled OCSP response is ${status}`));
  if (certificate.mustStaple && status !== 'good' && status !== 'not_observed') {
    const evidence = `the certificate demands a staple (RFC 7633), and the staple is ${status}`;
    found.push(fact('must_staple_violated', 'critical', evidence));
  }
  return found;
}

/** What is wrong with the certificate, or soon will be, and with the chain as it was sent. */
export function certificateFindings(result: Result, { certificate }: Tls): Finding[] {
  if (!certificate) return [];
  return [...chainFindings(certificate), ...expiryFindings(result, certificate)];
}

function expiryFindings(result: Result, certificate: Certificate): Finding[] {
  if (!certificate.notAfter) return [];
  const days = (Date.parse(certificate.notAfter) - Date.parse(result.startedAt)) / DAY_MS;
  if (days < 0 || days >= EXPIRES_SOON_DAYS) return [];
  const evidence = `the certificate expires on ${certificate.notAfter}, in ${Math.floor(days)} days`;
  return [fact('cert_expires_soon', days < 7 ? 'critical' : 'warning', evidence)];
}
