import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../..');
const FULL = '/dev/full';
const SERVERS = `import { log } from ${JSON.stringify(path.join(ROOT, 'server/environment/log.ts'))};`;
const PROBERS = `import { processLogger } from ${JSON.stringify(path.join(ROOT, 'workers/prober/logger.ts'))};
  const log = processLogger('info');`;

// A disk that is full, to every write.
it.skipIf(!existsSync(FULL)).each([
  ['the server’s', SERVERS],
  ['a prober’s and the demo’s', PROBERS],
])('%s log that cannot be written neither throws nor keeps the process from ending', (_, logging) => {
  const program = `${logging}
    process.on('uncaughtException', () => process.exit(3));
    for (let line = 0; line < 5; line += 1) {
      log.error('a request failed: ' + 'x'.repeat(5_000));
      await new Promise(setImmediate);
    }`;
  const full = openSync(FULL, 'w');
  const { status, signal } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', full, full],
    timeout: 60_000,
    env: { ...process.env, LOG_LEVEL: 'info' },
  });
  closeSync(full);
  expect({ status, signal }).toEqual({ status: 0, signal: null });
});
