import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { localVantageToken } from './local-vantage.ts';

/** Leaves a one-time token in the file `token` of `folder` where the prober there needs one. Returns its state, in words. */
export async function leaveToken(folder: string): Promise<string> {
  const file = path.join(folder, 'token');
  const last = existsSync(file) ? readFileSync(file, 'utf8').trim() || null : null;
  const { token, state } = await localVantageToken(folder, last);
  if (token !== null) writeWhole(file, `${token}\n`);
  return state;
}

/** Whole or not at all: the prober reads it. */
function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}
