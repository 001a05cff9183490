import type { X509Certificate } from 'node:crypto';
import type { Certificate, SentChain, Staple } from '#contract/certificate.ts';
import { BoundedCache } from '../bounded-cache.ts';
import { chainEntryOf, withMatchingName } from '../certificate/certificate.ts';
import type { IdentityProblem } from '../certificate/identity.ts';
import { endingBeforeLeaf, issuerOfLeaf, lacksIntermediate } from '../certificate/issuer.ts';
import { type ChainReading, readChain } from '../certificate/sent-chain.ts';
import { judgeStaple, noStaple } from '../certificate/staple.ts';
import { fitting } from '../format.ts';
import type { Secured } from '../phases/stages.ts';
import type { TlsConnection } from '../tls/tls.ts';
import { parseCertificateMessage } from '../wire/messages.ts';
import { signatureName } from '../wire/names.ts';
import { readServerFlight } from '../wire/server-flight.ts';
import type { WireObserver } from '../wire/wire.ts';

/** What the server showed to prove who it is; `sent` is null where the wire could not be read. */
export type Shown = {
  chain: ChainReading;
  caPem: string | null;
  sent: SentChain | null;
  signature: number | null;
  compression: number | null;
};

/** A Certificate message as the wire showed it, in clear text or deciphered, and the scheme of the server's proof. */
type CertificateMessage = {
  chain: ChainReading | null;
  bytes: number | null;
  uncompressedBytes: number | null;
  signature: number | null;
  compression: number | null;
};

const MESSAGE_HEADER = 4;
/** How often what was deciphered is taken for the same again, before it is deciphered again. */
const MAX_REUSES = 100;

const deciphered = new BoundedCache<{ message: CertificateMessage | null; reuses: number }>(256);

/** Null where the handshake was resumed: then the server sends no certificate. */
export function whatServerShowed(secured: Secured, caPem: string | null): Shown | null {
  const { leaf, tap, tls, problem } = secured;
  if (!leaf) return null;
  const known = readChain(knownToNode(leaf));
  if (!known) return null;
  const seen = clearMessage(tap.wire) ?? encipheredMessage(tap.wire, known, tls);
  const chain = seen?.chain ?? known;
  const trusted = problem === null || problem.reason === 'cert_name_mismatch';
  const problems = [...chain.problems];
  if (lacksIntermediate(chain, caPem, trusted)) problems.push('missing_intermediate');
  const endFirst = trusted ? endingBeforeLeaf(chain, caPem) : [];
  const certificates = chain.certificates.map((each) => ({
    ...chainEntryOf(each),
    ...(endFirst.includes(each) ? { endsFirst: true as const } : {}),
  }));
  const messageBytes = seen?.bytes ?? null;
  const sent = messageBytes === null ? null : { certificates, messageBytes, ...otherSize(seen, chain), problems };
  return { chain, caPem, sent, signature: seen?.signature ?? null, compression: seen?.compression ?? null };
}

/** What the message had before compression, or would have after it; framing and staple are counted as they are. */
function otherSize(seen: CertificateMessage | null, chain: ChainReading): Partial<SentChain> {
  if (seen === null || seen.bytes === null) return {};
  if (seen.uncompressedBytes !== null) return { uncompressedBytes: seen.uncompressedBytes };
  return { compressibleTo: Math.min(seen.bytes, seen.bytes - chain.bytes + chain.packedBytes) };
}

/** The leaf and its chain; null where nothing was shown. `host` is the name that the certificate must be for. */
export function certificateOf(shown: Shown | null, problem: IdentityProblem | null, host: string): Certificate | null {
  const leaf = shown?.chain.certificates[0];
  if (!shown || !leaf) return null;
  return {
    ...leaf.facts,
    names: withMatchingName(leaf.facts, leaf.x509, host),
    chainLength: shown.chain.length,
    chainBytes: shown.chain.bytes,
    verified: problem === null,
    verifyError: problem ? fitting(problem.message, 500) : null,
    signature: shown.signature === null ? null : signatureName(shown.signature),
    sent: shown.sent,
  };
}

/** What the staple is worth; `at` is when the probe began. */
export function stapleOf(shown: Shown | null, response: Buffer | null, at: Date): Staple {
  const leaf = shown?.chain.certificates[0];
  if (!shown || !leaf) return noStaple('not_observed');
  if (!response) return noStaple(leaf.facts.ocspUrl === null ? 'not_applicable' : 'missing');
  return judgeStaple(response, leaf, issuerOfLeaf(shown.chain, shown.caPem), at);
}

/** Up to TLS 1.2 the chain goes over the wire in clear text, and so does the scheme of the key exchange's signature. */
function clearMessage({ certificate, keyExchange }: WireObserver): CertificateMessage | null {
  const sent = certificate && parseCertificateMessage(certificate, false);
  if (!sent) return null;
  return {
    chain: readChain(sent),
    bytes: certificate.length + MESSAGE_HEADER,
    uncompressedBytes: null,
    signature: keyExchange?.signature ?? null,
    compression: null,
  };
}

/**
 * TLS 1.3 enciphers them. Deciphering takes as long as all the rest of a Result, so that it is done once for records
 * and a staple of the same sizes under the same chain: then the message has the same size too.
 */
function encipheredMessage(wire: WireObserver, known: ChainReading, tls: TlsConnection): CertificateMessage | null {
  const { serverHello, flight } = wire;
  if (!serverHello || flight.records.length === 0) return null;
  const sizes = flight.records.map(({ length }) => length).join();
  const key = `${known.key}|${serverHello.cipher}|${tls.staple()?.length}|${sizes}`;
  const make = () => ({ message: decipheredMessage(wire, serverHello.cipher, tls.serverSecret()), reuses: 0 });
  const entry = deciphered.get(key, make);
  if (entry.reuses++ >= MAX_REUSES) Object.assign(entry, make());
  return entry.message;
}

function decipheredMessage({ flight }: WireObserver, cipher: number, secret: Buffer | null): CertificateMessage | null {
  const read = secret && readServerFlight(flight.records, cipher, secret);
  if (!read) return null;
  const sent = (read.certificate && parseCertificateMessage(read.certificate, true)) ?? [];
  const { certificateBytes: bytes, uncompressedBytes, signature, compression } = read;
  return { chain: readChain(sent), bytes, uncompressedBytes, signature, compression };
}

/** Node hands out the certificates as they were sent, each as the issuer of the one before, whether it is or not. */
function knownToNode(leaf: X509Certificate): Uint8Array[] {
  const sent: Uint8Array[] = [];
  for (let each: X509Certificate | undefined = leaf; each && sent.length < 64; each = each.issuerCertificate) {
    sent.push(each.raw);
  }
  return sent;
}
