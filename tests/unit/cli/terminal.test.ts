import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const TERMINAL = path.resolve(import.meta.dirname, '../../../cli/start/terminal.ts');
const FULL = '/dev/full';

it.skipIf(!existsSync(FULL))('goes on where neither its output nor what stands in for it takes a line', () => {
  const program = `
    const { openTerminal } = await import(${JSON.stringify(TERMINAL)});
    const lost = [];
    const terminal = openTerminal(process.stderr, (line) => {
      lost.push(line);
      throw new Error('ENOSPC: no space left on device');
    });
    for (const line of ['one', 'two']) {
      terminal.print(line);
      await new Promise(setImmediate);
    }
    console.log(JSON.stringify(lost));`;
  const full = openSync(FULL, 'w');
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', full],
    encoding: 'utf8',
  });
  closeSync(full);
  expect({ status, stdout }).toEqual({ status: 0, stdout: '["one\\n","two\\n"]\n' });
});
