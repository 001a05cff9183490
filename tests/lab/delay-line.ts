// A process of the lab, started in the prober's namespace: carries IP packets between two TUN devices, each after the
// one-way delay. Arguments: the process that holds the server's namespace, the devices' name, the delay (ms). It takes orders as JSON
// lines on its standard input, answers each with a line, and ends with its input.
import { writeSync } from 'node:fs';
import { Losses } from './drop-rules.ts';
import { enterNamespaceOf, linux, openTun, preciseThread } from './linux.ts';
import type { DropRule } from './types.ts';

const [server = '', device = '', delay = ''] = process.argv.slice(2);
let delayMs = Number(delay);

/** Largest packet of the devices (MTU 1500), and packets held in each direction at most: some 50 MB. */
const PACKET_BYTES = 1_600;
const MOST_HELD = 32_768;
/** Packets read in a row before those that are due are looked at again. */
const BURST = 32;
/** The last stretch before a packet is due is waited out awake: the machine's timers are later than that. */
const AWAKE_MS = 0.1;
/** Time awake is earned by sleep, so much of it: what runs beside us on this processor (nginx) needs the rest. */
const EARNED_SHARE = 0.1;
const MOST_CREDIT_MS = 2;
const POLLIN = 1;

type Direction = {
  side: 'prober' | 'server';
  from: number;
  to: number;
  slots: Buffer[];
  lengths: Int32Array;
  due: Float64Array;
  head: number;
  held: number;
};

const losses = new Losses();
/** Packets that were sent on. */
let carried = 0;

function direction(side: Direction['side'], from: number, to: number): Direction {
  const queue = { lengths: new Int32Array(MOST_HELD), due: new Float64Array(MOST_HELD), slots: [], head: 0, held: 0 };
  return { side, from, to, ...queue };
}

/** Takes in what the device has; true where there may be more. */
function takeIn(line: Direction): boolean {
  for (let i = 0; i < BURST; i += 1) {
    const at = (line.head + line.held) % MOST_HELD;
    line.slots[at] ??= Buffer.allocUnsafeSlow(PACKET_BYTES);
    const slot = line.slots[at];
    const length = linux.read(line.from, slot, PACKET_BYTES);
    if (length <= 0) return false;
    if (losses.loses(slot.subarray(0, length), line.side) || line.held === MOST_HELD - 1) continue;
    line.lengths[at] = length;
    line.due[at] = performance.now() + delayMs;
    line.held += 1;
  }
  return true;
}

function sendDue(line: Direction): void {
  while (line.held > 0) {
    const slot = line.slots[line.head];
    if (performance.now() < (line.due[line.head] ?? 0) || !slot) return;
    if (linux.write(line.to, slot, line.lengths[line.head] ?? 0) > 0) carried += 1;
    line.head = (line.head + 1) % MOST_HELD;
    line.held -= 1;
  }
}

const timeout = Buffer.alloc(16);
/** Time (ms) that may still be spent awake. */
let credit = MOST_CREDIT_MS;
let wokeAt = performance.now();

/** Sleeps until a device has a packet, an order comes in, or (shortly before) a packet is due. */
function sleep(lines: Direction[]): void {
  const now = performance.now();
  credit -= now - wokeAt;
  const early = credit > 0 ? AWAKE_MS : 0;
  const waits = lines.filter(({ held }) => held > 0).map(({ due, head }) => (due[head] ?? 0) - now - early);
  const wait = Math.max(0, Math.min(...waits));
  if (Number.isFinite(wait)) {
    const nanoseconds = Math.round(wait * 1e6);
    timeout.writeBigInt64LE(BigInt(Math.floor(nanoseconds / 1e9)), 0);
    timeout.writeBigInt64LE(BigInt(nanoseconds % 1e9), 8);
  }
  linux.ppoll(polled, 3, Number.isFinite(wait) ? timeout : null, null);
  wokeAt = performance.now();
  credit = Math.min(MOST_CREDIT_MS, Math.max(-MOST_CREDIT_MS, credit) + EARNED_SHARE * (wokeAt - now));
}

/**
 * While packets flow we look every so often instead of being woken by each: a wake-up costs as much as many packets, which
 * nginx on the same processor needs, and a packet that is this much late is so for the capture too.
 */
const napMs = () => Math.min(1, Math.max(0.1, delayMs / 14));
const FLOWING_MS = 3;
const nap = Buffer.alloc(16);
nap.writeBigInt64LE(BigInt(Math.round(napMs() * 1e6)), 8);
let flowedAt = Number.NEGATIVE_INFINITY;
let moved = 0;

/** Whether packets have been coming or going lately. */
function flows(): boolean {
  const sum = carried + lines.reduce((total, { held }) => total + held, 0);
  if (sum !== moved) flowedAt = performance.now();
  moved = sum;
  return performance.now() - flowedAt < FLOWING_MS;
}

const input = Buffer.alloc(4_096);
let unread = '';

/** Does what was ordered; false once standard input has ended. */
function obey(): boolean {
  const length = linux.read(0, input, input.length);
  if (length <= 0) return false;
  const lines = (unread + input.toString('utf8', 0, length)).split('\n');
  unread = lines.pop() ?? '';
  for (const line of lines) {
    const order: { drop?: DropRule | null; delayMs?: number } = JSON.parse(line);
    if (order.drop !== undefined) losses.replace(order.drop);
    if (order.delayMs !== undefined) {
      delayMs = order.delayMs;
      nap.writeBigInt64LE(BigInt(Math.round(napMs() * 1e6)), 8);
    }
    writeSync(1, 'done\n');
  }
  return true;
}

const proberFd = openTun(device);
enterNamespaceOf(Number(server));
const serverFd = openTun(device);
const lines = [direction('prober', proberFd, serverFd), direction('server', serverFd, proberFd)];
const polled = Buffer.alloc(24);
for (const [index, fd] of [proberFd, serverFd, 0].entries()) {
  polled.writeInt32LE(fd, index * 8);
  polled.writeInt16LE(POLLIN, index * 8 + 4);
}
preciseThread();
writeSync(1, 'ready\n');
for (;;) {
  for (const line of lines) sendDue(line);
  let more = false;
  for (const line of lines) more = takeIn(line) || more;
  if (more) continue;
  if (flows()) {
    linux.ppoll(polled, 0, nap, null);
    polled.writeInt16LE(0, 22);
  } else sleep(lines);
  if (polled.readInt16LE(22) !== 0 && !obey()) break;
}
process.exit(0);
