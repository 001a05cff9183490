import { Certificate } from 'pkijs';
import { BytesCache } from '../bounded-cache.ts';
import { toArrayBuffer } from './der.ts';

const MUST_STAPLE_OID = '1.3.6.1.5.5.7.1.24';
const EXTENDED_KEY_USAGE_OID = '2.5.29.37';
const OCSP_SIGNING_OID = '1.3.6.1.5.5.7.3.9';
const STATUS_REQUEST = 5;

const known = new BytesCache<ParsedCertificate | null>(256);

/** A certificate as pkijs reads it, and two extensions that Node's own class does not expose. */
export class ParsedCertificate {
  readonly certificate: Certificate;

  private constructor(certificate: Certificate) {
    this.certificate = certificate;
  }

  /** Reads DER once for the same bytes; null where it is no certificate. */
  static of(der: Uint8Array): ParsedCertificate | null {
    return known.get(der, (own) => read(own, (certificate) => new ParsedCertificate(certificate)));
  }

  /** The TLS feature extension (RFC 7633) asks for status_request. */
  get mustStaple(): boolean {
    const extension = this.certificate.extensions?.find(({ extnID }) => extnID === MUST_STAPLE_OID);
    if (!extension) return false;
    const bytes = Buffer.from(extension.extnValue.valueBlock.valueHexView);
    return bytes.includes(Buffer.from([0x02, 0x01, STATUS_REQUEST]));
  }

  /** The extended key usage lets it sign OCSP responses for its issuer. */
  get signsOcsp(): boolean {
    const extension = this.certificate.extensions?.find(({ extnID }) => extnID === EXTENDED_KEY_USAGE_OID);
    const usage: unknown = extension?.parsedValue;
    if (typeof usage !== 'object' || usage === null || !('keyPurposes' in usage)) return false;
    return Array.isArray(usage.keyPurposes) && usage.keyPurposes.includes(OCSP_SIGNING_OID);
  }
}

function read<T>(der: Uint8Array, make: (certificate: Certificate) => T): T | null {
  try {
    return make(Certificate.fromBER(toArrayBuffer(der)));
  } catch {
    return null;
  }
}
