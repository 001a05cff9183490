import { constants, createCipheriv, createDecipheriv, createHash, createHmac, privateDecrypt } from 'node:crypto';
import type { Socket } from 'node:net';
import { message, record, serverHello } from './hostile-tls.ts';
import type { Issued } from './pki.ts';
import { type Listening, rawServer } from './probing.ts';

// A server of TLS 1.2 as it was before RFC 5746 (secure renegotiation): its ServerHello has no extension at all. No library
// is without it any more, so that this one does the handshake itself, with TLS_RSA_WITH_AES_128_GCM_SHA256.

const RSA_AES128_GCM = 0x009c;
const [CHANGE_CIPHER_SPEC, HANDSHAKE] = [20, 22];
const [CERTIFICATE, HELLO_DONE, FINISHED] = [11, 14, 20];

/** A server without RFC 5746 that shows this certificate (RSA), finishes the handshake, and then waits in silence. */
export function oldTlsServer({ der, keyPem }: Issued): Promise<Listening> {
  return rawServer((socket) => new OldHandshake(socket, der, keyPem));
}

class OldHandshake {
  readonly #socket: Socket;
  readonly #keyPem: string;
  readonly #certificate: Buffer;
  #unread: Buffer = Buffer.alloc(0);
  #transcript: Buffer[] = [];
  #clientRandom: Buffer = Buffer.alloc(0);
  #serverRandom: Buffer = Buffer.alloc(0);
  #master: Buffer = Buffer.alloc(0);
  #enciphered = false;

  constructor(socket: Socket, certificate: Buffer, keyPem: string) {
    this.#socket = socket;
    this.#certificate = certificate;
    this.#keyPem = keyPem;
    socket.on('data', (chunk) => {
      this.#unread = Buffer.concat([this.#unread, chunk]);
      while (this.#unread.length >= 5 && this.#unread.length >= 5 + this.#unread.readUInt16BE(3)) {
        const end = 5 + this.#unread.readUInt16BE(3);
        this.#take(this.#unread.readUInt8(0), this.#unread.subarray(5, end));
        this.#unread = this.#unread.subarray(end);
      }
    });
  }

  #take(type: number, payload: Buffer): void {
    if (type === CHANGE_CIPHER_SPEC) this.#enciphered = true;
    else if (type === HANDSHAKE && this.#enciphered) this.#onFinished(payload);
    else if (type === HANDSHAKE && this.#transcript.length === 0) this.#onHello(payload);
    else if (type === HANDSHAKE) this.#onKeyExchange(payload);
  }

  #onHello(hello: Buffer): void {
    this.#clientRandom = hello.subarray(6, 38);
    const withExtensions = serverHello({ cipher: RSA_AES128_GCM, extensions: [] });
    const body = withExtensions.subarray(0, withExtensions.length - 2);
    this.#serverRandom = body.subarray(2, 34);
    const length = Buffer.alloc(6);
    length.writeUIntBE(this.#certificate.length + 3, 0, 3);
    length.writeUIntBE(this.#certificate.length, 3, 3);
    const flight = [
      message(2, body),
      message(CERTIFICATE, Buffer.concat([length, this.#certificate])),
      message(HELLO_DONE, Buffer.alloc(0)),
    ];
    this.#transcript.push(hello, ...flight);
    this.#socket.write(record(HANDSHAKE, Buffer.concat(flight)));
  }

  #onKeyExchange(payload: Buffer): void {
    this.#transcript.push(payload);
    const key = { key: this.#keyPem, padding: constants.RSA_PKCS1_PADDING };
    const premaster = privateDecrypt(key, payload.subarray(6));
    this.#master = prf(premaster, 'master secret', [this.#clientRandom, this.#serverRandom], 48);
  }

  #onFinished(payload: Buffer): void {
    const block = prf(this.#master, 'key expansion', [this.#serverRandom, this.#clientRandom], 40);
    const [ofClient, ofServer] = [block.subarray(0, 16), block.subarray(16, 32)];
    const nonce = Buffer.concat([block.subarray(32, 36), payload.subarray(0, 8)]);
    const opened = createDecipheriv('aes-128-gcm', ofClient, nonce).update(payload.subarray(8, -16));
    this.#transcript.push(opened);
    const digest = createHash('sha256').update(Buffer.concat(this.#transcript)).digest();
    const finished = message(FINISHED, prf(this.#master, 'server finished', [digest], 12));
    const explicit = Buffer.alloc(8);
    const cipher = createCipheriv('aes-128-gcm', ofServer, Buffer.concat([block.subarray(36, 40), explicit]));
    // The number of the record, its type and version, and the length of what is enciphered.
    cipher.setAAD(Buffer.concat([explicit, Buffer.from([HANDSHAKE, 3, 3, 0, finished.length])]));
    const sealed = Buffer.concat([explicit, cipher.update(finished), cipher.final(), cipher.getAuthTag()]);
    this.#socket.write(Buffer.concat([record(CHANGE_CIPHER_SPEC, [1]), record(HANDSHAKE, sealed)]));
  }
}

/** The pseudo-random function of TLS 1.2 (RFC 5246, section 5). */
function prf(secret: Buffer, label: string, seeds: Buffer[], length: number): Buffer {
  const seed = Buffer.concat([Buffer.from(label), ...seeds]);
  const hmac = (...parts: Buffer[]) => createHmac('sha256', secret).update(Buffer.concat(parts)).digest();
  let [a, out] = [hmac(seed), Buffer.alloc(0)];
  for (; out.length < length; a = hmac(a)) out = Buffer.concat([out, hmac(a, seed)]);
  return out.subarray(0, length);
}
