// Loaded with --import before a part's own code: when the supervisor is gone, however it ended (kill -9 too), the
// channel to it closes, and the part ends instead of living on without anybody who could stop it.
import { isMainThread } from 'node:worker_threads';

/** How long a part may tidy up after its supervisor died, in milliseconds. */
const GRACE_MS = 4_000;

if (isMainThread && process.channel) {
  process.on('disconnect', () => {
    setTimeout(() => process.exit(1), GRACE_MS).unref();
    process.kill(process.pid, 'SIGTERM');
  });
  // The channel alone must not keep a part alive that has nothing left to do.
  process.channel.unref();
}

// Its log may lie on a disk that is full: a line that is lost ends nothing.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
