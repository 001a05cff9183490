import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What the server says of a name: its addresses, a response code (3: no such name, 5: refused), or nothing at all. */
export type Zone = Record<string, string[] | number | null>;
type Question = { name: string; type: 'A' | 'AAAA' | 'other' };

/** A DNS server on loopback over UDP: `resolver` is its address as settings take it, `asked` what came, in order. */
export type DnsServer = { resolver: string; asked: Question[]; close(): Promise<void> };

const TYPE_A = 1;
const TYPE_AAAA = 28;
const HEADER_BYTES = 12;
const NO_SUCH_NAME = 3;

/** Answers from the zone; a name that is not in it does not exist. */
export async function startDnsServer(zone: Zone, host: '127.0.0.1' | '::1' = '127.0.0.1'): Promise<DnsServer> {
  const socket = createSocket(isIP(host) === 6 ? 'udp6' : 'udp4');
  const asked: Question[] = [];
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    asked.push({ name, type: type === TYPE_A ? 'A' : type === TYPE_AAAA ? 'AAAA' : 'other' });
    const entry = name in zone ? zone[name] : NO_SUCH_NAME;
    if (entry !== null && entry !== undefined)
      socket.send(answerTo(query.subarray(0, end), type, entry), port, address);
  });
  socket.bind(0, host);
  await once(socket, 'listening');
  const { port } = socket.address();
  const close = async () => {
    const closed = once(socket, 'close');
    socket.close();
    await closed;
  };
  return { resolver: isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`, asked, close };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(question: Buffer, type: number, entry: string[] | number): Buffer {
  const code = typeof entry === 'number' ? entry : 0;
  const addresses = typeof entry === 'number' ? [] : entry.filter((each) => typeOf(each) === type);
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | code, 2); // a recursive server's answer
  head.writeUInt16BE(addresses.length, 6);
  head.fill(0, 8, HEADER_BYTES); // nothing from the authority, no EDNS
  return Buffer.concat([head, ...addresses.map((address) => record(type, address))]);
}

const typeOf = (address: string) => (isIP(address) === 6 ? TYPE_AAAA : TYPE_A);

/** One record, with a pointer to the question's name. */
function record(type: number, address: string): Buffer {
  const data = Buffer.from(ipaddr.parse(address).toByteArray());
  const fixed = Buffer.alloc(HEADER_BYTES);
  fixed.writeUInt16BE(0xc00c, 0);
  fixed.writeUInt16BE(type, 2);
  fixed.writeUInt16BE(1, 4);
  fixed.writeUInt32BE(60, 6);
  fixed.writeUInt16BE(data.length, 10);
  return Buffer.concat([fixed, data]);
}
