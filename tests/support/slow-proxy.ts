import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What becomes of what the server behind the proxy says: passed on after `ms`, never, or its connections are refused. */
export type Line = { kind: 'delayed'; ms: number } | { kind: 'silent' } | { kind: 'refused' };

/** A real TCP proxy before a server whose answers can be made to come late, or never. */
export type SlowProxy = { port: number; set: (line: Line) => void; close: () => Promise<void> };

/** Before `port` of 127.0.0.1; without delay at first. */
export async function slowProxy(port: number): Promise<SlowProxy> {
  let line: Line = { kind: 'delayed', ms: 0 };
  const open = new Set<Socket>();
  const proxy = createServer((client) => {
    if (line.kind === 'refused') return void client.destroy();
    const server = connect(port, '127.0.0.1');
    for (const socket of [client, server]) {
      open.add(socket);
      socket.setNoDelay().on('error', () => {});
      socket.on('close', () => open.delete(socket));
    }
    client.on('close', () => server.destroy()).on('data', (chunk) => server.write(chunk));
    server.on('close', () => client.destroy());
    server.on('data', (chunk) => {
      if (line.kind === 'silent') return;
      setTimeout(() => client.write(chunk), line.kind === 'delayed' ? line.ms : 0);
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (proxy.address() as AddressInfo).port,
    // What was held back for good would be missing in the middle of a conversation.
    set(next) {
      if (line.kind === 'silent' || next.kind === 'refused') cut();
      line = next;
    },
    async close() {
      cut();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
