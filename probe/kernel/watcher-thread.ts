// The thread that does nothing but stamp: it sleeps in epoll_wait and, whenever bytes arrive on a watched socket, asks the
// kernel when that was. It takes a share of a millisecond a probe and is not held up by any cryptography.
import { parentPort, workerData } from 'node:worker_threads';
import { ArrivalRing, processNow } from './arrival-ring.ts';
import { Bursts } from './burst.ts';
import { type Libc, libc } from './libc.ts';
import { ReceiveStamps } from './receive-stamp.ts';
import { runDelayMs } from './run-delay.ts';
import { readTcpInfo } from './tcp-info.ts';
import { preferThisThread } from './thread-priority.ts';

export type WatcherData = { epoll: number; memory: SharedArrayBuffer };

/** EPOLLERR and EPOLLHUP. */
const FAILED = 0x018;
const MOST_EVENTS = 256;
/** sizeof(struct epoll_event): packed on x86-64 alone. */
const EVENT_BYTES = process.arch === 'x64' ? 12 : 16;
const DATA_AT = process.arch === 'x64' ? 4 : 8;
/** A stop wakes the thread by an event; this (ms) is for the case that it got lost. */
const LONGEST_SLEEP_MS = 250;

const { epoll, memory }: WatcherData = workerData;
const system = libc();
if (system) watch(system, new ArrivalRing(memory));

function watch(system: Libc, ring: ArrivalRing): void {
  preferThisThread(system);
  const events = Buffer.alloc(MOST_EVENTS * EVENT_BYTES);
  const stamps = new ReceiveStamps(system);
  const bursts = new Bursts(runDelayMs);
  parentPort?.postMessage('ready');
  while (!ring.stopped) {
    const delay = bursts.delayBeforeLook(processNow());
    let count = delay === null ? 0 : system.epollWait(epoll, events, MOST_EVENTS, 0);
    if (count === 0) {
      if (delay !== null) bursts.nothingWaited(delay);
      count = system.epollWait(epoll, events, MOST_EVENTS, LONGEST_SLEEP_MS);
    }
    for (let index = 0; index < count; index += 1) {
      const at = index * EVENT_BYTES + DATA_AT;
      const fd = events.readInt32LE(at);
      const id = events.readUInt32LE(at + 4);
      if (id === 0) continue; // the event that wakes us to stop
      // A look at a socket that has failed would take its error away from the measuring thread.
      if ((events.readUInt32LE(index * EVENT_BYTES) & FAILED) !== 0) continue;
      // Bytes first: a segment that comes in between the two calls makes the stamp late by microseconds, never early.
      const info = readTcpInfo(fd);
      if (!info?.open || info.bytesReceived === 0) continue;
      const { bytesReceived, dataSegmentsIn } = info;
      ring.write(id, stamps.newest(fd), bytesReceived, dataSegmentsIn, bursts.latenessOf(id, dataSegmentsIn));
    }
  }
}
