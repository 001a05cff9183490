import { spawn } from 'node:child_process';

/**
 * Waits on its standard input. A line: the server was stopped, nothing is left to do. The end of it without a line: the process
 * that held the other end died, by `kill -9` too, and the server of that process is stopped. It is identified by the lock, which
 * still names the dead process, and by its command line: a number in `postmaster.pid` may belong to another program by now.
 * First the clients may finish (TERM), then they are dropped (INT), then the WAL is left to recover from (QUIT), then it is killed.
 */
const SCRIPT = `
lock=$1 owner=$2 cluster=$3
pause() { sleep 0.1 || sleep 1; }
alive() {
  pid=; read -r pid < "$cluster/postmaster.pid"; [ -n "$pid" ] || return 1
  if [ -r "/proc/$pid/cmdline" ]; then cat "/proc/$pid/cmdline"; else ps -ww -o args= -p "$pid"; fi | grep -qaF -e "$cluster"
}
IFS= read -r line && exit 0
exec 2> /dev/null
tries=20
until alive; do
  tries=$((tries - 1)); [ "$tries" -gt 0 ] || exit 0
  pause
done
grep -qF -e "\\"pid\\":$owner," "$lock" || exit 0
server=$pid
for step in TERM:50 INT:100 QUIT:50 KILL:50; do
  kill "-\${step%:*}" "$server"
  left=\${step#*:}
  while [ "$left" -gt 0 ]; do
    alive && [ "$pid" = "$server" ] || exit 0
    pause
    left=$((left - 1))
  done
done`;

/** What ties the server of a cluster to this process. */
export type Leash = {
  /** Ends the tie, once the server was stopped in the ordinary way. */
  release: () => Promise<void>;
};

/**
 * Makes the server of `cluster` end when this process does, however that ends: by a shell in a session of its own, which a signal to
 * this process's group does not reach. To be called before the server is started; `lock` is the file that names this process as the
 * folder's owner. A server that comes up within 2 s of this process's death is ended, too.
 */
export function leash(cluster: string, lock: string): Leash {
  const args = ['-c', SCRIPT, 'roundtrip-leash', lock, String(process.pid), cluster];
  const env = { NODE_ENV: process.env.NODE_ENV, PATH: process.env.PATH };
  const child = spawn('/bin/sh', args, { cwd: '/', env, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  child.unref();
  // Without a shell a server outlives a kill, and the next start adopts it.
  const gone = new Promise<void>((resolve) => child.once('exit', resolve).once('error', resolve));
  // One that somebody else ended takes no line.
  child.stdin.on('error', () => {});
  const release = async () => {
    child.ref();
    child.stdin.end('stopped\n');
    await gone;
  };
  return { release };
}
