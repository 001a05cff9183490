import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * What the server says of a name: its addresses, a response code (3: no such name, 5: refused), nothing at all, or that it
 * is an alias of another one in the zone.
 */
export type Zone = Record<string, string[] | number | null | { alias: string }>;
type Question = { name: string; type: 'A' | 'AAAA' | 'other' };

/** A DNS server on loopback over UDP: `resolver` is its address as settings take it, `asked` what came, in order. */
export type DnsServer = { resolver: string; asked: Question[]; close(): Promise<void> };

const TYPE_A = 1;
const TYPE_AAAA = 28;
const TYPE_CNAME = 5;
const HEADER_BYTES = 12;
const NO_SUCH_NAME = 3;

/** Answers from the zone; a name that is not in it does not exist. */
export async function startDnsServer(
  zone: Zone,
  host: '127.0.0.1' | '::1' = '127.0.0.1',
  fixedPort = 0,
): Promise<DnsServer> {
  const socket = createSocket(isIP(host) === 6 ? 'udp6' : 'udp4');
  const asked: Question[] = [];
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    asked.push({ name, type: type === TYPE_A ? 'A' : type === TYPE_AAAA ? 'AAAA' : 'other' });
    const { entry, aliases } = followed(zone, name);
    if (entry !== null) socket.send(answerTo(query.subarray(0, end), type, entry, aliases), port, address);
  });
  socket.bind(fixedPort, host);
  await once(socket, 'listening');
  const { port } = socket.address();
  const close = async () => {
    const closed = once(socket, 'close');
    socket.close();
    await closed;
  };
  return { resolver: isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`, asked, close };
}

/** What a name comes to, and the names that stand for it on the way. */
function followed(zone: Zone, name: string): { entry: string[] | number | null; aliases: string[] } {
  const entry = name in zone ? zone[name] : NO_SUCH_NAME;
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return { entry: entry ?? null, aliases: [] };
  const end = followed(zone, entry.alias);
  return { entry: end.entry, aliases: [entry.alias, ...end.aliases] };
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

function answerTo(question: Buffer, type: number, entry: string[] | number, aliases: string[]): Buffer {
  const code = typeof entry === 'number' ? entry : 0;
  const addresses = typeof entry === 'number' ? [] : entry.filter((each) => typeOf(each) === type);
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | code, 2); // a recursive server's answer
  head.writeUInt16BE(aliases.length + addresses.length, 6);
  head.fill(0, 8, HEADER_BYTES); // nothing from the authority, no EDNS
  const asked = Buffer.from([0xc0, HEADER_BYTES]); // a pointer to the question's name
  const owners = [asked, ...aliases.map(wireName)];
  const last = owners.at(-1) ?? asked;
  return Buffer.concat([
    head,
    ...aliases.map((alias, nth) => record(owners[nth] ?? asked, TYPE_CNAME, wireName(alias))),
    ...addresses.map((address) => record(last, type, Buffer.from(ipaddr.parse(address).toByteArray()))),
  ]);
}

const typeOf = (address: string) => (isIP(address) === 6 ? TYPE_AAAA : TYPE_A);

function wireName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1'));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(60, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, fixed, data]);
}
