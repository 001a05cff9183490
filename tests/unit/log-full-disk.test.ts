import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const LOG = path.join(import.meta.dirname, '../../server/log.ts');
const FULL = '/dev/full';

// A disk that is full, to every write.
it.skipIf(!existsSync(FULL))('a log that cannot be written neither throws nor keeps the process from ending', () => {
  const program = `import { log } from ${JSON.stringify(LOG)};
    process.on('uncaughtException', () => process.exit(3));
    for (let line = 0; line < 5; line += 1) {
      log.error({ err: new Error('x'.repeat(5_000)) }, 'a request failed');
      await new Promise(setImmediate);
    }`;
  const full = openSync(FULL, 'w');
  const { status, signal } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', full, 'ignore'],
    timeout: 8_000,
    env: { ...process.env, LOG_LEVEL: 'info' },
  });
  closeSync(full);
  expect({ status, signal }).toEqual({ status: 0, signal: null });
});
