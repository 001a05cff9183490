// A process of the lab, in the server's namespace: a DNS server over UDP that gives one IPv4 address for every name.
// Arguments: that address, on which it listens too, and the port. It says `ready`, and ends with its input.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const [address = '', port = ''] = process.argv.slice(2);
const HEADER_BYTES = 12;
const TYPE_A = 1;
const TTL_SECONDS = 60;

/** Where the question of a query ends, and what it asks for. */
function questionOf(query: Buffer): { type: number; end: number } {
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) at += 1 + length;
  return { type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(query: Buffer): Buffer {
  const { type, end } = questionOf(query);
  const head = Buffer.from(query.subarray(0, end));
  head.writeUInt16BE(0x8180, 2); // a recursive server's answer
  head.fill(0, 8, HEADER_BYTES); // nothing from the authority, no EDNS
  head.writeUInt16BE(type === TYPE_A ? 1 : 0, 6);
  if (type !== TYPE_A) return head;
  const record = Buffer.alloc(16);
  record.writeUInt16BE(0xc00c, 0); // a pointer to the question's name
  record.writeUInt16BE(TYPE_A, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(TTL_SECONDS, 6);
  record.writeUInt16BE(4, 10);
  record.set(address.split('.').map(Number), HEADER_BYTES);
  return Buffer.concat([head, record]);
}

const socket = createSocket('udp4');
socket.on('message', (query, from) => socket.send(answerTo(query), from.port, from.address));
socket.bind(Number(port), address);
await once(socket, 'listening');
process.stdin.resume().on('close', () => process.exit(0));
process.stdout.write('ready\n');
