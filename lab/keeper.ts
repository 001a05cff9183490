// A process of the lab: waits until its input ends, which is when the lab closes or its owner dies, however it dies. Then
// it kills what runs in the namespaces, removes them and the folder. Arguments: the folder, the namespaces.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';

const [folder = '', ...namespaces] = process.argv.slice(2);
/** A process that was killed may take a moment to be gone. */
const ROUNDS = 50;

function pidsOf(namespace: string): number[] {
  const { stdout } = spawnSync('ip', ['netns', 'pids', namespace], { encoding: 'utf8' });
  return (stdout ?? '').split('\n').filter(Boolean).map(Number);
}

function killAll(namespace: string): void {
  for (let round = 0; round < ROUNDS; round += 1) {
    const pids = pidsOf(namespace);
    if (pids.length === 0) return;
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself.
      }
    }
  }
}

process.stdout.on('error', () => {});
process.stdin.on('error', () => {});
process.stdin.resume().on('close', () => {
  for (const namespace of namespaces) {
    killAll(namespace);
    spawnSync('ip', ['netns', 'delete', namespace]);
  }
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
process.stdout.write('ready\n');
