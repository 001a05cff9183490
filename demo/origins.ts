import { constants } from 'node:crypto';
import { createSecureServer } from 'node:http2';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { type DemoLeaf, loadIdentities, savePorts } from './identities.ts';
import { ocspResponse } from './ocsp.ts';
import { answer } from './page.ts';
import type { Site } from './places.ts';

/** A running origin. `url` has its real port; `caPem` is the root that signed its chain. */
export type Origin = { key: string; name: string; url: string; host: string; port: number; caPem: string; site: Site };
export type Origins = { origins: Origin[]; close(): Promise<void> };

type Profile = {
  key: string;
  name: string;
  host: string;
  site: Site;
  kind: 'ec' | 'rsa';
  bloatBytes: number;
  http2: boolean;
  tls: TlsOptions;
  /** Days from now of thisUpdate and nextUpdate; null staples nothing. */
  staple: { from: number; to: number } | null;
};

/** The three faults, or their absence, that the demo shows. Every leaf names an OCSP responder. */
const PROFILES: readonly Profile[] = [
  {
    key: 'good',
    name: 'In order: TLS 1.3, short chain, fresh staple',
    host: 'good.demo.roundtrip.test',
    site: { region: 'CN-BJ', carrier: 'unicom' },
    kind: 'ec',
    bloatBytes: 0,
    http2: true,
    tls: { minVersion: 'TLSv1.3' },
    staple: { from: -1, to: 6 },
  },
  {
    key: 'legacy',
    name: 'Legacy: TLS 1.2, chain over 15 kB, no staple, no resumption',
    host: 'legacy.demo.roundtrip.test',
    site: { region: 'CN-GD', carrier: 'telecom' },
    kind: 'rsa',
    bloatBytes: 15_500,
    http2: false,
    tls: {
      maxVersion: 'TLSv1.2',
      ciphers: 'ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384',
      secureOptions: constants.SSL_OP_NO_TICKET,
    },
    staple: null,
  },
  {
    key: 'stale',
    name: 'Stale staple: TLS 1.3, OCSP response out of date',
    host: 'stale.demo.roundtrip.test',
    site: { region: 'CN-SH', carrier: 'telecom' },
    kind: 'ec',
    bloatBytes: 0,
    http2: true,
    tls: { minVersion: 'TLSv1.3' },
    staple: { from: -10, to: -3 },
  },
];

const DAY_MS = 86_400_000;
/** A fresh staple is signed anew this often, as a responder would. */
const STAPLE_LIFE_MS = DAY_MS / 2;

/** Starts the demo's TLS servers on loopback; certificates and ports live in `folder`. */
export async function startOrigins(folder: string): Promise<Origins> {
  const orders = PROFILES.map((profile) => ({ ...profile, ocsp: true }));
  const { rootPem, leaves, ports } = await loadIdentities(folder, orders);
  const started = await Promise.all(
    PROFILES.map(async (profile) => {
      const leaf = leaves.get(profile.key);
      if (!leaf) throw new Error(`no certificate for ${profile.key}`);
      return startOrigin(profile, leaf, rootPem, ports[profile.key] ?? 0);
    }),
  );
  const origins = started.map(({ origin }) => origin);
  const given = Object.fromEntries(origins.map(({ key, port }) => [key, port]));
  if (origins.some(({ key, port }) => ports[key] !== port)) await savePorts(folder, given);
  return { origins, close: async () => void (await Promise.all(started.map(({ close }) => close()))) };
}

async function startOrigin(profile: Profile, leaf: DemoLeaf, caPem: string, port: number) {
  const { key, name, host, site } = profile;
  const options = { ...profile.tls, key: leaf.keyPem, cert: leaf.chainPem };
  const server: Server = profile.http2
    ? (createSecureServer({ ...options, allowHTTP1: true }, answer) as unknown as Server)
    : createServer({ ...options, ALPNProtocols: ['http/1.1'] }, answer);
  if (profile.staple) server.on('OCSPRequest', stapler(profile.staple, leaf));
  server.on('tlsClientError', () => {}); // a probe that breaks off is no fault of the demo
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const bound = await listen(server, port);
  const origin: Origin = { key, name, url: `https://${host}:${bound}/`, host, port: bound, caPem, site };
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { origin, close };
}

type StapleAnswer = (error: Error | null, response: Buffer) => void;

function stapler(staple: { from: number; to: number }, leaf: DemoLeaf) {
  let signed: { atMs: number; response: Promise<Buffer> } | null = null;
  return (_certificate: Buffer, _issuer: Buffer, done: StapleAnswer) => {
    const now = Date.now();
    if (!signed || now - signed.atMs > STAPLE_LIFE_MS) {
      const thisUpdate = new Date(now + staple.from * DAY_MS);
      const nextUpdate = new Date(now + staple.to * DAY_MS);
      signed = { atMs: now, response: ocspResponse(leaf.authority, leaf, { thisUpdate, nextUpdate }) };
    }
    signed.response.then(
      (response) => done(null, response),
      (error: Error) => done(error, Buffer.alloc(0)),
    );
  };
}

/** The remembered port where it is free, else any. */
function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      if (port === 0 || (error.code !== 'EADDRINUSE' && error.code !== 'EACCES')) return reject(error);
      listen(server, 0).then(resolve, reject);
    };
    server.once('error', onError);
    server.listen(port, '127.0.0.1', () => {
      server.removeListener('error', onError);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
