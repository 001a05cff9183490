import { randomBytes } from 'node:crypto';
import { createSecureServer } from 'node:http2';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type DemoLeaf, loadIdentities, savePorts } from './identities.ts';
import { ocspResponse } from './ocsp.ts';
import { answer } from './page.ts';
import type { Site } from './places.ts';
import type { DeployKind } from './present/script.ts';
import { PROFILES, type Profile } from './profiles.ts';

/** A running origin. `url` has its real port; `caPem` is the root that signed its chain. */
export type Origin = {
  key: string;
  name: string;
  url: string;
  host: string;
  port: number;
  caPem: string;
  site: Site;
  /** Whether its checks offer sessions as well. */
  resume: boolean;
};
export type Origins = {
  origins: Origin[];
  /**
   * Redeploys an origin, with a setting that costs its handshakes or without: `costlyGroup` lets it take key shares of one group
   * alone that clients do not send unasked, `lostSessions` has it refuse all sessions that it gave out.
   */
  deploy(key: string, kind: DeployKind, costly: boolean): void;
  close(): Promise<void>;
};

const DAY_MS = 86_400_000;
/** A fresh staple is signed this often, as a responder would. */
const STAPLE_LIFE_MS = DAY_MS / 2;

/** What Node asks for: a name and two keys. */
const TICKET_KEYS_BYTES = 48;

/** Clients know it, and send no key share of it unasked: the server asks again, which costs a round trip. */
const COSTLY_GROUP = 'secp384r1';

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
  const deploy: Origins['deploy'] = (key, kind, costly) => {
    for (const { origin, deploy: deployOne } of started) if (origin.key === key) deployOne(kind, costly);
  };
  return { origins, deploy, close: async () => void (await Promise.all(started.map(({ close }) => close()))) };
}

async function startOrigin(profile: Profile, leaf: DemoLeaf, caPem: string, port: number) {
  const { key, name, host, site, resume } = profile;
  const options = { ...profile.tls, key: leaf.keyPem, cert: leaf.chainPem };
  const server: Server = profile.http2
    ? (createSecureServer({ ...options, allowHTTP1: true }, answer) as unknown as Server)
    : createServer({ ...options, ALPNProtocols: ['http/1.1'] }, answer);
  if (profile.staple) server.on('OCSPRequest', stapler(profile.staple, leaf));
  const { recordBytes } = profile;
  if (recordBytes !== null)
    server.on('secureConnection', (socket: TLSSocket) => socket.setMaxSendFragment(recordBytes));
  server.on('tlsClientError', () => {}); // a probe that breaks off is no fault of the demo
  const sockets = new Set<Socket>();
  let forgets = false;
  server.on('connection', (socket: Socket) => {
    // Each connection meets a node with keys of its own, which cannot read the others' tickets.
    if (forgets) server.setTicketKeys(randomBytes(TICKET_KEYS_BYTES));
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const bound = await listen(server, port);
  const origin: Origin = { key, name, url: `https://${host}:${bound}/`, host, port: bound, caPem, site, resume };
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  const deploy = (kind: DeployKind, costly: boolean) => {
    if (kind === 'lostSessions') forgets = costly;
    else server.setSecureContext(costly ? { ...options, ecdhCurve: COSTLY_GROUP } : options);
  };
  return { origin, deploy, close };
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
