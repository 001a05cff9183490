import * as pkijs from 'pkijs';
import { type Authority, extension, keyUsage, OID, signer } from '#demo/pki.ts';

// Certificates and OCSP responses for tests: minted in memory, as the demo network mints its own.

export { type OcspOptions, ocspResponse } from '#demo/ocsp.ts';
export {
  type Authority,
  createAuthority,
  type Issued,
  type IssueOptions,
  issue,
  type KeyKind,
  restoreAuthority,
} from '#demo/pki.ts';

const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9';

/** A responder that the authority has authorised to sign OCSP responses in its place (RFC 6960, 4.2.2.2). */
export async function createResponder(authority: Authority, name = `${authority.name} OCSP`): Promise<Authority> {
  return signer(name, 'ec', authority, [
    extension(OID.basicConstraints, true, new pkijs.BasicConstraints({ cA: false }).toSchema()),
    keyUsage('leaf'),
    extension(OID.extKeyUsage, false, new pkijs.ExtKeyUsage({ keyPurposes: [OCSP_SIGNING] }).toSchema()),
  ]);
}

/** A response without a body: `tryLater` is 3, `unauthorized` is 6 (RFC 6960, 4.2.1). */
export function ocspFailure(responseStatus: 1 | 2 | 3 | 5 | 6): Buffer {
  return Buffer.from([0x30, 0x03, 0x0a, 0x01, responseStatus]);
}

/** The same response with one bit of its signature turned. */
export function tampered(response: Uint8Array): Buffer {
  const parsed = pkijs.OCSPResponse.fromBER(new Uint8Array(response).buffer);
  const body = parsed.responseBytes?.response.valueBlock.valueHexView ?? new Uint8Array();
  const basic = pkijs.BasicOCSPResponse.fromBER(new Uint8Array(body).buffer);
  const signature = Buffer.from(basic.signature.valueBlock.valueHexView);
  const copy = Buffer.from(response);
  const at = copy.indexOf(signature) + signature.length - 1;
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}
