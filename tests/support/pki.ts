/** Certificates and OCSP responses for tests: minted in memory, as the demo network mints its own. */
export { type OcspOptions, ocspFailure, ocspResponse, tampered } from '#demo/ocsp.ts';
export {
  type Authority,
  createAuthority,
  createResponder,
  type Issued,
  type IssueOptions,
  issue,
  type KeyKind,
  restoreAuthority,
} from '#demo/pki.ts';
