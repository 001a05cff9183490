import koffi from 'koffi';

const library = koffi.load(null);

/** System calls that the lab makes itself. They answer as the C library does; `errno()` tells why one failed. */
export const linux = {
  open: library.func('int open(const char *path, int flags, ...)') as (path: string, flags: number) => number,
  close: library.func('int close(int fd)') as (fd: number) => number,
  read: library.func('long read(int fd, void *into, size_t length)') as Transfer,
  write: library.func('long write(int fd, const void *from, size_t length)') as Transfer,
  ioctl: library.func('int ioctl(int fd, unsigned long request, void *argument)') as (
    fd: number,
    request: number,
    argument: Uint8Array,
  ) => number,
  setns: library.func('int setns(int fd, int kind)') as (fd: number, kind: number) => number,
  ppoll: library.func('int ppoll(void *fds, unsigned long count, void *timeout, void *mask)') as (
    fds: Uint8Array,
    count: number,
    timeout: Uint8Array | null,
    mask: null,
  ) => number,
  prctl: library.func('int prctl(int option, unsigned long argument)') as (option: number, argument: number) => number,
  sched_setscheduler: library.func('int sched_setscheduler(int pid, int policy, const void *priority)') as (
    pid: number,
    policy: number,
    priority: Uint8Array,
  ) => number,
  socket: library.func('int socket(int domain, int type, int protocol)') as (
    domain: number,
    type: number,
    protocol: number,
  ) => number,
  setsockopt: library.func(
    'int setsockopt(int fd, int level, int name, const void *value, unsigned int length)',
  ) as SocketOption,
  getsockopt: library.func('int getsockopt(int fd, int level, int name, void *value, void *length)') as (
    fd: number,
    level: number,
    name: number,
    value: Uint8Array,
    length: Uint8Array,
  ) => number,
  recvmsg: library.func('long recvmsg(int fd, void *message, int flags)') as (
    fd: number,
    message: Uint8Array,
    flags: number,
  ) => number,
};

type Transfer = (fd: number, bytes: Uint8Array, length: number) => number;
type SocketOption = (fd: number, level: number, name: number, value: Uint8Array, length: number) => number;

const CLONE_NEWNET = 0x40000000;
const O_RDWR = 2;
const O_NONBLOCK = 0o4000;
const TUNSETIFF = 0x400454ca;
const IFF_TUN_NO_PI = 0x1001;
const PR_SET_TIMERSLACK = 29;
const SCHED_FIFO = 1;
const PRIORITY = 10;

/** Throws with the name of what failed and the system's number for why. */
function checked(result: number, what: string): number {
  if (result < 0) throw new Error(`${what} failed: errno ${koffi.errno()}`);
  return result;
}

/** Where a buffer lies in memory, for the structures that point to it. */
export const addressOf = (buffer: Uint8Array) => koffi.address(buffer) as bigint;

/** Moves the calling thread into the network namespace of a process, for good. */
export function enterNamespaceOf(pid: number): void {
  const namespace = checked(linux.open(`/proc/${pid}/ns/net`, 0), `open of the namespace of process ${pid}`);
  checked(linux.setns(namespace, CLONE_NEWNET), `setns to the namespace of process ${pid}`);
  linux.close(namespace);
}

/** Makes a TUN device in the calling thread's namespace. It goes when the descriptor is closed. */
export function openTun(device: string): number {
  const fd = checked(linux.open('/dev/net/tun', O_RDWR | O_NONBLOCK), 'open of /dev/net/tun');
  const request = Buffer.alloc(40);
  request.write(device, 0, 15, 'latin1');
  request.writeUInt16LE(IFF_TUN_NO_PI, 16);
  checked(linux.ioctl(fd, TUNSETIFF, request), `making of TUN device ${device}`);
  return fd;
}

/** Wakes this thread as exactly as the machine can: no slack on timers, and ahead of others where that is allowed. */
export function preciseThread(): void {
  linux.prctl(PR_SET_TIMERSLACK, 1);
  const priority = Buffer.alloc(4);
  priority.writeInt32LE(PRIORITY);
  linux.sched_setscheduler(0, SCHED_FIFO, priority);
}

export { checked };
