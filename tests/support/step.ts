import { spawn } from 'node:child_process';
import path from 'node:path';
import { ROOT } from '#cli/prepare.ts';

/** Tests that passed and failed. */
export type Counts = { passed: number; failed: number };

export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints a step's headline and returns what prints its duration. */
export function headline(name: string): () => void {
  const startedAt = performance.now();
  say(`\n== ${name}`);
  return () => say(`   ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
}

/**
 * Runs a package's command, a file below node_modules, under this very Node with its output shown. Returns its exit
 * status; throws on one that is not 0 unless it `mayFail`.
 */
export async function runTool(
  file: string,
  args: string[],
  { mayFail = false, env = {} }: { mayFail?: boolean; env?: Record<string, string> } = {},
): Promise<number> {
  const child = spawn(process.execPath, [path.join(ROOT, 'node_modules', file), ...args], {
    cwd: ROOT,
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const status = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
  if (status !== 0 && !mayFail) throw new Error(`${path.basename(file)} ended with exit status ${status}`);
  return status;
}
