import * as asn1js from 'asn1js';
import * as pkijs from 'pkijs';
import type { Authority } from './pki.ts';

const engine = new pkijs.CryptoEngine({ name: 'node', crypto: globalThis.crypto });
const BASIC_RESPONSE = '1.3.6.1.5.5.7.48.1.1';

export type OcspOptions = {
  status?: 'good' | 'revoked' | 'unknown';
  /** Default: an hour ago. */
  thisUpdate?: Date;
  /** Default: in a week; null leaves it out. */
  nextUpdate?: Date | null;
  /** Default: `thisUpdate`. */
  producedAt?: Date;
  /** Who signs, where it is not the authority: for tests a responder of its own or a stranger. */
  signer?: Authority;
};

/** A signed OCSP response (DER) about one certificate of the authority. */
export async function ocspResponse(
  authority: Authority,
  leaf: { der: Uint8Array },
  options: OcspOptions = {},
): Promise<Buffer> {
  const signer = options.signer ?? authority;
  const basic = new pkijs.BasicOCSPResponse();
  const thisUpdate = wholeSecond(options.thisUpdate ?? new Date(Date.now() - 3_600_000));
  const single = await singleResponse(authority, leaf, thisUpdate, options);
  basic.tbsResponseData = new pkijs.ResponseData();
  basic.tbsResponseData.responderID = signer.certificate.subject;
  basic.tbsResponseData.producedAt = wholeSecond(options.producedAt ?? thisUpdate);
  basic.tbsResponseData.responses = [single];
  if (signer !== authority) basic.certs = [signer.certificate];
  await basic.sign(signer.privateKey, 'SHA-256', engine);
  const response = new pkijs.OCSPResponse({
    responseStatus: new asn1js.Enumerated({ value: 0 }),
    responseBytes: new pkijs.ResponseBytes({
      responseType: BASIC_RESPONSE,
      response: new asn1js.OctetString({ valueHex: basic.toSchema().toBER(false) }),
    }),
  });
  return Buffer.from(response.toSchema().toBER(false));
}

/** DER allows no needless fraction in a time, and responders write none. */
const wholeSecond = (time: Date) => new Date(Math.floor(time.getTime() / 1_000) * 1_000);

async function singleResponse(
  authority: Authority,
  leaf: { der: Uint8Array },
  thisUpdate: Date,
  options: OcspOptions,
): Promise<pkijs.SingleResponse> {
  const certificate = pkijs.Certificate.fromBER(new Uint8Array(leaf.der).buffer);
  const parameters = { hashAlgorithm: 'SHA-1', issuerCertificate: authority.certificate };
  const single = new pkijs.SingleResponse({
    certID: await pkijs.CertID.create(certificate, parameters, engine),
    certStatus: statusBlock(options.status ?? 'good', thisUpdate),
    thisUpdate,
  });
  const nextUpdate = options.nextUpdate === undefined ? new Date(Date.now() + 604_800_000) : options.nextUpdate;
  if (nextUpdate) single.nextUpdate = wholeSecond(nextUpdate);
  return single;
}

function statusBlock(status: 'good' | 'revoked' | 'unknown', since: Date) {
  if (status !== 'revoked') {
    return new asn1js.Primitive({
      idBlock: { tagClass: 3, tagNumber: status === 'good' ? 0 : 2 },
      lenBlock: { length: 1 },
    } as object);
  }
  return new asn1js.Constructed({
    idBlock: { tagClass: 3, tagNumber: 1 },
    value: [new asn1js.GeneralizedTime({ valueDate: since })],
  });
}
