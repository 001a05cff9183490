import { isIP } from 'node:net';
import * as asn1js from 'asn1js';
import ipaddr from 'ipaddr.js';
import * as pkijs from 'pkijs';

const engine = new pkijs.CryptoEngine({ name: 'node', crypto: globalThis.crypto });

const RSA_BITS = { rsa1024: 1_024, rsa2048: 2_048, rsa4096: 4_096 } as const;
export type KeyKind = 'ec' | keyof typeof RSA_BITS;

/** A certificate authority, or any other signer of certificates and OCSP responses. `parent` is null for a root. */
export type Authority = {
  name: string;
  certificate: pkijs.Certificate;
  privateKey: CryptoKey;
  certPem: string;
  keyPem: string;
  parent: Authority | null;
};

/** A server certificate. `chainPem` holds the leaf and the intermediates without the root; `der` the leaf alone. */
export type Issued = { certPem: string; keyPem: string; chainPem: string; der: Buffer };

export type IssueOptions = {
  /** DNS names and IP addresses; the first is the common name too. */
  names: string[];
  key?: KeyKind;
  /** For a client that shows who it is; a server where left out. */
  client?: boolean;
  notBefore?: Date;
  notAfter?: Date;
  /** The responder's URL in the leaf's authority information access. */
  ocspUrl?: string;
  mustStaple?: boolean;
  /** About so many bytes of further long names, to make a chain that overflows a congestion window. */
  bloatBytes?: number;
};

const DAY_MS = 86_400_000;
const daysFromNow = (days: number) => new Date(Date.now() + days * DAY_MS);

export const OID = {
  commonName: '2.5.4.3',
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  altName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyId: '2.5.29.35',
  extKeyUsage: '2.5.29.37',
  authorityInfo: '1.3.6.1.5.5.7.1.1',
  tlsFeature: '1.3.6.1.5.5.7.1.24',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  ocspResponder: '1.3.6.1.5.5.7.48.1',
} as const;

/** A root, or with `parent` an intermediate, valid from yesterday for ten years. */
export async function createAuthority(options: {
  name: string;
  key: 'ec' | 'rsa';
  parent?: Authority;
}): Promise<Authority> {
  const pathLength = options.parent ? { pathLenConstraint: 0 } : {};
  return signer(options.name, options.key === 'rsa' ? 'rsa2048' : 'ec', options.parent ?? null, [
    extension(OID.basicConstraints, true, new pkijs.BasicConstraints({ cA: true, ...pathLength }).toSchema()),
    keyUsage('authority'),
  ]);
}

/** Brings back an authority from its PEM files, with the parent that signed it. */
export async function restoreAuthority(
  certPem: string,
  keyPem: string,
  parent: Authority | null = null,
): Promise<Authority> {
  const certificate = pkijs.Certificate.fromBER(fromPem(certPem));
  const algorithm = certificate.subjectPublicKeyInfo.algorithm.algorithmId.startsWith('1.2.840.113549')
    ? { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
    : { name: 'ECDSA', namedCurve: 'P-256' };
  const privateKey = await crypto.subtle.importKey('pkcs8', fromPem(keyPem), algorithm, true, ['sign']);
  const name = String(certificate.subject.typesAndValues[0]?.value.valueBlock.value ?? '');
  return { name, certificate, privateKey, certPem, keyPem, parent };
}

/** A server certificate signed by the authority; with null as the authority it signs itself. */
export async function issue(authority: Authority | null, options: IssueOptions): Promise<Issued> {
  const keys = await generateKeys(options.key ?? 'ec');
  const certificate = await build({
    subject: options.names[0] ?? 'unnamed',
    publicKey: keys.publicKey,
    issuer: authority?.certificate ?? null,
    signingKey: authority?.privateKey ?? keys.privateKey,
    notBefore: options.notBefore ?? daysFromNow(-1),
    notAfter: options.notAfter ?? daysFromNow(365),
    extensions: leafExtensions(options),
  });
  const der = Buffer.from(certificate.toSchema().toBER());
  const certPem = toPem('CERTIFICATE', der);
  return { certPem, keyPem: await exportKey(keys.privateKey), chainPem: certPem + intermediatesPem(authority), der };
}

/** Somebody who signs, with a key of its own. */
export async function signer(name: string, key: KeyKind, parent: Authority | null, extensions: pkijs.Extension[]) {
  const keys = await generateKeys(key);
  const certificate = await build({
    subject: name,
    publicKey: keys.publicKey,
    issuer: parent?.certificate ?? null,
    signingKey: parent?.privateKey ?? keys.privateKey,
    notBefore: daysFromNow(-2),
    notAfter: daysFromNow(3_650),
    extensions,
  });
  const certPem = toPem('CERTIFICATE', certificate.toSchema().toBER());
  return { name, certificate, privateKey: keys.privateKey, certPem, keyPem: await exportKey(keys.privateKey), parent };
}

type Build = {
  subject: string;
  publicKey: CryptoKey;
  issuer: pkijs.Certificate | null;
  signingKey: CryptoKey;
  notBefore: Date;
  notAfter: Date;
  extensions: pkijs.Extension[];
};

async function build(parts: Build): Promise<pkijs.Certificate> {
  const certificate = new pkijs.Certificate();
  certificate.version = 2;
  const serial = crypto.getRandomValues(new Uint8Array(16));
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40; // positive and never shortened
  certificate.serialNumber = new asn1js.Integer({ valueHex: serial.buffer });
  certificate.subject.typesAndValues.push(
    new pkijs.AttributeTypeAndValue({ type: OID.commonName, value: new asn1js.Utf8String({ value: parts.subject }) }),
  );
  certificate.issuer = parts.issuer?.subject ?? certificate.subject;
  certificate.notBefore = new pkijs.Time({ type: 0, value: parts.notBefore });
  certificate.notAfter = new pkijs.Time({ type: 0, value: parts.notAfter });
  await certificate.subjectPublicKeyInfo.importKey(parts.publicKey, engine);
  certificate.extensions = [...parts.extensions, ...(await keyIds(certificate, parts.issuer ?? certificate))];
  await certificate.sign(parts.signingKey, 'SHA-256', engine);
  return certificate;
}

async function keyIds(certificate: pkijs.Certificate, issuer: pkijs.Certificate): Promise<pkijs.Extension[]> {
  const own = new asn1js.OctetString({ valueHex: await certificate.getKeyHash('SHA-1', engine) });
  const above = new asn1js.OctetString({ valueHex: await issuer.getKeyHash('SHA-1', engine) });
  return [
    extension(OID.subjectKeyId, false, own),
    extension(OID.authorityKeyId, false, new pkijs.AuthorityKeyIdentifier({ keyIdentifier: above }).toSchema()),
  ];
}

function leafExtensions(options: IssueOptions): pkijs.Extension[] {
  const names = [...options.names, ...longNames(options.bloatBytes ?? 0)];
  const purpose = options.client ? OID.clientAuth : OID.serverAuth;
  const list = [
    extension(OID.basicConstraints, true, new pkijs.BasicConstraints({ cA: false }).toSchema()),
    keyUsage('leaf'),
    extension(OID.extKeyUsage, false, new pkijs.ExtKeyUsage({ keyPurposes: [purpose] }).toSchema()),
    extension(OID.altName, false, new pkijs.GeneralNames({ names: names.map(generalName) }).toSchema()),
  ];
  if (options.ocspUrl) {
    const location = new pkijs.GeneralName({ type: 6, value: options.ocspUrl });
    const access = new pkijs.AccessDescription({ accessMethod: OID.ocspResponder, accessLocation: location });
    list.push(extension(OID.authorityInfo, false, new pkijs.InfoAccess({ accessDescriptions: [access] }).toSchema()));
  }
  if (options.mustStaple) {
    list.push(extension(OID.tlsFeature, false, new asn1js.Sequence({ value: [new asn1js.Integer({ value: 5 })] })));
  }
  return list;
}

function generalName(name: string): pkijs.GeneralName {
  if (!isIP(name)) return new pkijs.GeneralName({ type: 2, value: name });
  const valueHex = new Uint8Array(ipaddr.parse(name).toByteArray()).buffer;
  return new pkijs.GeneralName({ type: 7, value: new asn1js.OctetString({ valueHex }) });
}

/** Names of about 100 bytes each, as on the certificates that large sites share between hundreds of hosts. */
function longNames(bytes: number): string[] {
  const filler = 'a-host-with-a-rather-long-name-of-its-own.in-a-department-of-the-same-organisation';
  return Array.from(
    { length: Math.ceil(bytes / 104) },
    (_, i) => `${String(i).padStart(4, '0')}.${filler}.example.test`,
  );
}

/** What a key may be used for. */
export function keyUsage(kind: 'authority' | 'leaf'): pkijs.Extension {
  const bits = kind === 'authority' ? 0b1000_0110 : 0b1010_0000; // signature and cert + CRL signing; or key encipherment
  const valueHex = new Uint8Array([bits]).buffer;
  return extension(OID.keyUsage, true, new asn1js.BitString({ valueHex, unusedBits: kind === 'authority' ? 1 : 5 }));
}

export function extension(extnID: string, critical: boolean, value: asn1js.BaseBlock): pkijs.Extension {
  return new pkijs.Extension({ extnID, critical, extnValue: value.toBER() });
}

function intermediatesPem(authority: Authority | null): string {
  return authority?.parent ? authority.certPem + intermediatesPem(authority.parent) : '';
}

async function generateKeys(kind: KeyKind): Promise<CryptoKeyPair> {
  if (kind === 'ec') return crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const publicExponent = new Uint8Array([1, 0, 1]);
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', modulusLength: RSA_BITS[kind], publicExponent, hash: 'SHA-256' };
  return crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

async function exportKey(key: CryptoKey): Promise<string> {
  return toPem('PRIVATE KEY', await crypto.subtle.exportKey('pkcs8', key));
}

function toPem(label: string, der: ArrayBuffer | Buffer): string {
  const text = Buffer.from(der as ArrayBuffer).toString('base64');
  return `-----BEGIN ${label}-----\n${text.replace(/.{64}(?=.)/g, '$&\n')}\n-----END ${label}-----\n`;
}

function fromPem(pem: string): ArrayBuffer {
  const bytes = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  return new Uint8Array(bytes).buffer;
}
