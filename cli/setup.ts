// What `roundtrip start` does at its first start, for docker-compose.yml: the administrator's password, and a token for the
// prober beside the server. Runs to its end at every `docker compose up` and changes nothing the second time.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { withDatabase } from '../cli/start/with-database.ts';
import { localVantageToken } from './local-vantage.ts';

const folder = process.env.ROUNDTRIP_DATA || '.roundtrip';
const tokenFile = path.join(folder, 'token');

function readToken(): string | null {
  return existsSync(tokenFile) ? readFileSync(tokenFile, 'utf8').trim() || null : null;
}

/** Whole or not at all: the prober reads it. */
function writeToken(token: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${tokenFile}.new`, `${token}\n`, { mode: 0o600, flush: true });
  renameSync(`${tokenFile}.new`, tokenFile);
}

async function setUp(): Promise<void> {
  const { ensureAdminPassword } = await import('#server/admin.ts');
  const password = await ensureAdminPassword();
  if (password !== null) process.stdout.write(`Admin password: ${password} (shown this once: keep it)\n`);
  const { token, state } = await localVantageToken(folder, readToken());
  if (token !== null) writeToken(token);
  process.stdout.write(`Prober beside the server: ${state}\n`);
}

try {
  await withDatabase(setUp);
} catch (error) {
  process.stderr.write(`roundtrip: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
