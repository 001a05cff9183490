import { createRequire } from 'node:module';

/** The calls of the C library that the engine makes. Buffers are handed over as they are; results are the call's own. */
export type Libc = {
  socket(domain: number, type: number, protocol: number): number;
  getsockopt(fd: number, level: number, option: number, value: Uint8Array, length: Uint8Array): number;
  setsockopt(fd: number, level: number, option: number, value: Uint8Array, length: number): number;
  recvmsg(fd: number, message: Uint8Array, flags: number): number;
  clockGettime(clock: number, time: Uint8Array): number;
  epollCreate(flags: number): number;
  epollControl(epoll: number, operation: number, fd: number, event: Uint8Array): number;
  epollWait(epoll: number, events: Uint8Array, most: number, timeoutMs: number): number;
  eventfd(initial: number, flags: number): number;
  write(fd: number, bytes: Uint8Array, length: number): number;
  setpriority(which: number, who: number, nice: number): number;
  schedSetattr(thread: number, attributes: Uint8Array, flags: number): number;
  /** 0, or the number of the error. */
  flock(fd: number, operation: number): number;
  /** Ends the process at once, without clean-up and without waiting for other threads. */
  exit(status: number): void;
  /** The address of a buffer, for structures that point to it. The buffer must outlive its use. */
  addressOf(buffer: Uint8Array): bigint;
};

/** Numbers of the system call sched_setattr, which the C library has no name for. */
const SCHED_SETATTR: Partial<Record<string, number>> = { x64: 314, arm64: 274, riscv64: 274 };

let loaded: Libc | null | undefined;

/**
 * The C library through koffi, on 64-bit little-endian Linux; null elsewhere, where koffi cannot be loaded, and where
 * ROUNDTRIP_NO_KERNEL is set. The fields that depend on it are then null in Results.
 */
export function libc(): Libc | null {
  loaded ??= load();
  return loaded;
}

function load(): Libc | null {
  const schedSetattr = SCHED_SETATTR[process.arch];
  if (process.platform !== 'linux' || schedSetattr === undefined || process.env.ROUNDTRIP_NO_KERNEL) return null;
  try {
    return bind(createRequire(import.meta.url)('koffi'), schedSetattr);
  } catch {
    return null;
  }
}

function bind(koffi: typeof import('koffi'), schedSetattr: number): Libc {
  // No name: the process's own symbols, whichever C library it was linked with.
  const library = koffi.load(null);
  const syscall = library.func('long syscall(long number, long first, void *second, long third)');
  const flock = library.func('int flock(int, int)');
  return {
    socket: library.func('int socket(int, int, int)'),
    getsockopt: library.func('int getsockopt(int, int, int, void *, void *)'),
    setsockopt: library.func('int setsockopt(int, int, int, void *, unsigned int)'),
    recvmsg: library.func('long recvmsg(int, void *, int)'),
    clockGettime: library.func('int clock_gettime(int, void *)'),
    epollCreate: library.func('int epoll_create1(int)'),
    epollControl: library.func('int epoll_ctl(int, int, int, void *)'),
    epollWait: library.func('int epoll_wait(int, void *, int, int)'),
    eventfd: library.func('int eventfd(unsigned int, int)'),
    write: library.func('long write(int, void *, size_t)'),
    exit: library.func('void _exit(int)'),
    setpriority: library.func('int setpriority(int, unsigned int, int)'),
    schedSetattr: (thread, attributes, flags) => syscall(schedSetattr, thread, attributes, flags),
    flock: (fd, operation) => (flock(fd, operation) === 0 ? 0 : koffi.errno()),
    addressOf: (buffer) => BigInt(koffi.address(buffer)),
  };
}
