import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startStack } from '../support/stack.ts';
import { addFailingTarget } from './failing-target.ts';
import { timeToFirstColour } from './first-colour.ts';

/** Playwright's setup of the whole run: the real product with its demo, on a data folder of its own. */
export default async function startProduct(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-e2e-'));
  // PostgreSQL's user passes through; else root's database would be kept in the system's folder, and stay there.
  chmodSync(folder, 0o711);
  // Webhooks of the tests go to receivers on this machine.
  const env = { ROUNDTRIP_ALLOW_PRIVATE_TARGETS: '1' };
  const stack = await startStack({ dataDir: folder, env }).catch((error: unknown) => {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  });
  process.env.E2E_URL = stack.url;
  process.env.E2E_PASSWORD = stack.password ?? '';
  const firstColourMs = await timeToFirstColour(stack.url, stack.password ?? '');
  process.env.E2E_FIRST_COLOUR_MS = String(firstColourMs);
  console.log(`The first coloured matrix came after ${(firstColourMs / 1_000).toFixed(1)} s.`);
  await addFailingTarget(stack.url, stack.password ?? '');
  return async () => {
    await stack.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}
