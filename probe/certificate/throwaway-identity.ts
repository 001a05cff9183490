import { Integer, Utf8String } from 'asn1js';
import { AttributeTypeAndValue, Certificate, CryptoEngine } from 'pkijs';

const COMMON_NAME_OID = '2.5.4.3';
const LIFE_MS = 3_600_000;

/** A key and a certificate that signed itself (PEM), newly made at every call: for a server that only we speak to. */
export async function throwawayIdentity(): Promise<{ key: string; cert: string }> {
  const engine = new CryptoEngine({ name: 'node', crypto });
  const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const certificate = new Certificate();
  certificate.version = 2;
  certificate.serialNumber = new Integer({ value: 1 });
  for (const name of [certificate.subject, certificate.issuer]) {
    name.typesAndValues.push(
      new AttributeTypeAndValue({ type: COMMON_NAME_OID, value: new Utf8String({ value: 'throwaway' }) }),
    );
  }
  certificate.notBefore.value = new Date(Date.now() - LIFE_MS);
  certificate.notAfter.value = new Date(Date.now() + LIFE_MS);
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey, engine);
  await certificate.sign(keys.privateKey, 'SHA-256', engine);
  const key = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { key: pem('PRIVATE KEY', key), cert: pem('CERTIFICATE', certificate.toSchema().toBER(false)) };
}

function pem(label: string, der: ArrayBuffer): string {
  const lines = Buffer.from(der)
    .toString('base64')
    .replace(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
