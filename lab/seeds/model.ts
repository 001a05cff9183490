import { constants } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Duplex, Transform } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { v7 as uuidv7 } from 'uuid';
import type { Result } from '#contract/result.ts';
import { ProbeSettings } from '#contract/target.ts';
import { Path } from '#demo/path.ts';
import { realEnvironment } from '#probe/environment.ts';
import type { Network } from '#probe/network/network.ts';
import { measureSequence } from '#probe/sequence.ts';
import { warmUp } from '#probe/warm-up.ts';
import { type ChainFiles, createLabAuthority, type LabAuthority, writeChain } from '../chains.ts';
import type { Scenario } from '../types.ts';
import { isUsable, MOST_TRIES, SEED_HOST, type Testbed } from './testbed.ts';

const LOOPBACK = '127.0.0.1';
/** nginx hands its handshake over in writes of so many bytes, and so do we. */
const WRITE_BYTES = 4_096;
/** What a Result may be off (ms), since servers, paths and engine share a thread. */
const CLEAN_BELOW_MS = 10;

/** Without namespaces: TLS servers of Node's on loopback, behind the model of a TCP sender that the demo uses. */
export async function modelTestbed(): Promise<Testbed> {
  const folder = await mkdtemp(path.join(tmpdir(), 'roundtrip-model-'));
  const authority = await createLabAuthority();
  let rttMs = 0;
  let initialWindow = 10;
  let servers: { port: number; scenario: Scenario; server: Server }[] = [];
  /** Ports of the servers before, which those after them take again: a deploy. */
  let kept: number[] = [];
  const network: Network = {
    resolve: async (_host, _family, signal) => {
      await wait(rttMs, undefined, { signal });
      return { addresses: [{ address: LOOPBACK, family: 4 }], resolver: 'model' };
    },
    connect: async (address, port, _family, signal) => {
      const noDelay = servers.find((one) => one.port === port)?.scenario.noDelay ?? true;
      const far = connect({ host: address, port, noDelay: true });
      await Promise.all([opened(far), wait(rttMs, undefined, { signal })]);
      const stream = new Path(inWrites(far), { rttMs, noDelay, initialWindow });
      const { localAddress = null, localPort = null } = far;
      return { stream, peerAddress: address, peerPort: port, localAddress, localPort, family: 4 };
    },
  };
  const environment = realEnvironment({ network, cleanBelowMs: CLEAN_BELOW_MS });
  await warmUp(ProbeSettings.parse({}), environment);
  const stop = async () => {
    for (const { server } of servers) server.closeAllConnections?.();
    await Promise.all(servers.map(({ server }) => new Promise<void>((settle) => server.close(() => settle()))));
    servers = [];
  };
  const probeOnce = async (port: number, settings: Partial<ProbeSettings>): Promise<Result[]> => {
    const results: Result[] = [];
    const request = {
      ...{ id: uuidv7(), targetId: null, vantage: null, demo: false, timeoutMs: 20_000, allowPrivate: true },
      url: `https://${SEED_HOST}:${port}/`,
      settings: ProbeSettings.parse({ caPem: authority.root.certPem, ...settings }),
    };
    await measureSequence(request, environment, (result) => results.push(result));
    return results;
  };
  return {
    kind: 'model',
    sentence: `Node ${process.versions.node} behind the model of a TCP sender, without network namespaces.`,
    beside: null,
    caPem: authority.root.certPem,
    address: LOOPBACK,
    serve: async (scenarios) => {
      await stop();
      const ports = kept;
      kept = [];
      for (const [index, scenario] of scenarios.entries())
        servers.push(await startServer(scenario, authority, folder, ports[index] ?? 0));
      kept = servers.map(({ port }) => port);
      return Object.fromEntries(servers.map(({ port, scenario }) => [scenario.name, port]));
    },
    setRtt: async (ms) => {
      rttMs = ms;
    },
    setInitcwnd: async (segments) => {
      initialWindow = segments;
    },
    probe: async (port, settings = {}) => {
      for (let tries = 1; ; tries += 1) {
        const results = await probeOnce(port, settings);
        if (results.every((result) => isUsable(result, rttMs)) || tries === MOST_TRIES) return results;
      }
    },
    close: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startServer(scenario: Scenario, authority: LabAuthority, folder: string, wantedPort: number) {
  const { name, chainBytes: bytes = 1_700, staple = false, key = 'ec', http2 = false, recordBytes } = scenario;
  const { ocsp = staple } = scenario;
  const { tickets = true, sessionCache = tickets, bodyBytes = 24_000, ciphers, tls } = scenario;
  const files: ChainFiles = await writeChain(folder, name, authority, { bytes, ocsp, key });
  const options = {
    key: await readFile(files.key),
    cert: await readFile(files.chain),
    minVersion: tls === '1.3' ? ('TLSv1.3' as const) : ('TLSv1.2' as const),
    maxVersion: tls === '1.2' ? ('TLSv1.2' as const) : ('TLSv1.3' as const),
    secureOptions: tickets ? 0 : constants.SSL_OP_NO_TICKET,
    ...(ciphers === undefined ? {} : { ciphers, honorCipherOrder: true }),
  };
  const body = 'x'.repeat(bodyBytes);
  const answer = (_request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('content-length', body.length);
    response.end(body);
  };
  const server = http2
    ? (createSecureServer({ ...options, allowHTTP1: true }, answer as never) as unknown as Server)
    : createServer({ ...options, ALPNProtocols: ['http/1.1'] }, answer as RequestListener);
  server.on('tlsClientError', () => {});
  server.on('connection', (socket: Socket) => socket.setNoDelay(true));
  if (recordBytes !== undefined)
    server.on('secureConnection', (socket: TLSSocket) => void socket.setMaxSendFragment(recordBytes));
  if (sessionCache) keepSessions(server);
  if (staple && files.staple) {
    const response = await readFile(files.staple);
    server.on('OCSPRequest', (_certificate, _issuer, done) => done(null, response));
  }
  await new Promise<void>((settle, reject) => server.once('error', reject).listen(wantedPort, LOOPBACK, settle));
  return { port: (server.address() as AddressInfo).port, scenario, server };
}

/** The cache of TLS 1.2: Node has none of its own. */
function keepSessions(server: Server): void {
  const sessions = new Map<string, Buffer>();
  server.on('newSession', (id: Buffer, session: Buffer, done: () => void) => {
    sessions.set(id.toString('hex'), session);
    done();
  });
  server.on('resumeSession', (id: Buffer, done: (error: Error | null, session: Buffer | null) => void) =>
    done(null, sessions.get(id.toString('hex')) ?? null),
  );
}

/** The server's bytes in writes as nginx makes them: the model lets segments end where writes end. */
function inWrites(far: Socket): Duplex {
  const cut = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (let at = 0; at < chunk.length; at += WRITE_BYTES) this.push(chunk.subarray(at, at + WRITE_BYTES));
      done();
    },
    readableObjectMode: true,
  });
  far.on('error', (error) => cut.destroy(error));
  return Duplex.from({ readable: far.pipe(cut), writable: far });
}

function opened(socket: Socket): Promise<void> {
  return new Promise((settle, reject) => socket.once('error', reject).once('connect', () => settle()));
}
