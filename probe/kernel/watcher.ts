import { Worker } from 'node:worker_threads';
import { ArrivalLog } from './arrival-log.ts';
import { ArrivalRing, processNow } from './arrival-ring.ts';
import { type Libc, libc } from './libc.ts';
import { keepStamping, stampArrivals } from './receive-stamp.ts';
import type { WatcherData } from './watcher-thread.ts';

const EPOLL_CLOEXEC = 0x80000;
const EPOLL_CTL_ADD = 1;
const EPOLLIN = 0x001;
const EPOLLRDHUP = 0x2000;
const EPOLLET = 0x8000_0000;
const EVENT_BYTES = 16;
const DATA_AT = process.arch === 'x64' ? 4 : 8;

/** The watcher's heap holds a few buffers: these limits (MB) keep V8 from taking more. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 };

/** A thread that has to wait for a processor between two clocks is out in one look, hardly in all of these. */
const LOOKS_AT_CLOCKS = 9;

/** A watched socket: its arrivals so far, and the end of the watch. */
export type Watch = { log: ArrivalLog; end(): void };

/**
 * This thread's watcher: a thread beside it that stamps what arrives on its sockets, however busy this one is. It keeps no
 * process alive.
 */
export class Watcher {
  readonly #system: Libc;
  readonly #epoll: number;
  readonly #ring = new ArrivalRing();
  readonly #logs = new Map<number, ArrivalLog>();
  readonly #offsetMs = offsetOfClocks();
  /** Resolves when the thread runs, or has failed: arrivals then have the event loop's stamps, which the Results say. */
  readonly ready: Promise<void>;
  #lastId = 0;

  constructor(system: Libc) {
    this.#system = system;
    keepStamping(system);
    this.#epoll = system.epollCreate(EPOLL_CLOEXEC);
    const wake = system.eventfd(0, EPOLL_CLOEXEC);
    this.#add(wake, 0);
    const workerData: WatcherData = { epoll: this.#epoll, memory: this.#ring.memory };
    const url = new URL('./watcher-thread.ts', import.meta.url);
    const worker = new Worker(url, { workerData, resourceLimits: HEAP_LIMITS, name: 'roundtrip-watcher' });
    this.ready = new Promise((resolve) => {
      const started = () => {
        worker.unref();
        resolve();
      };
      worker.once('message', started);
      worker.on('error', started);
    });
    process.once('exit', () => {
      this.#ring.stop();
      const one = Buffer.alloc(8);
      one.writeBigUInt64LE(1n);
      system.write(wake, one, one.length);
    });
  }

  /** Watches a connected socket until `end`. Closing the descriptor takes it out of the kernel's list by itself. */
  watch(fd: number): Watch {
    this.#lastId = (this.#lastId % 0x7fff_ffff) + 1;
    const id = this.#lastId;
    const log = new ArrivalLog();
    this.#logs.set(id, log);
    stampArrivals(this.#system, fd);
    this.#add(fd, id);
    return { log, end: () => this.#logs.delete(id) };
  }

  /** Brings the logs up to what the watcher has seen so far. */
  collect(): void {
    this.#ring.drain((id, atMs, bytes, segments, lateMs) =>
      this.#logs.get(id)?.add(atMs - this.#offsetMs, bytes, segments, lateMs),
    );
  }

  #add(fd: number, id: number): void {
    const event = Buffer.alloc(EVENT_BYTES);
    event.writeUInt32LE((EPOLLIN | EPOLLRDHUP | EPOLLET) >>> 0, 0);
    event.writeInt32LE(fd, DATA_AT);
    event.writeUInt32LE(id, DATA_AT + 4);
    this.#system.epollControl(this.#epoll, EPOLL_CTL_ADD, fd, event);
  }
}

/** The process's clock less this thread's, in ms: of some looks at both the one that took least. */
function offsetOfClocks(): number {
  let best = { took: Number.POSITIVE_INFINITY, offset: 0 };
  for (let tries = 0; tries < LOOKS_AT_CLOCKS; tries += 1) {
    const before = performance.now();
    const common = processNow();
    const after = performance.now();
    if (after - before < best.took) best = { took: after - before, offset: common - (before + after) / 2 };
  }
  return best.offset;
}

let watcher: Watcher | null | undefined;

/** This thread's watcher, started at the first call; null where the kernel cannot be asked. */
export function threadWatcher(): Watcher | null {
  if (watcher === undefined) {
    const system = libc();
    watcher = system ? new Watcher(system) : null;
  }
  return watcher;
}
