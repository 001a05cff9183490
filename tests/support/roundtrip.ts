import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { ROOT } from '#cli/dist.mjs';
import { Result } from '#contract/result.ts';

/** The command as a person runs it. */
export const ENTRY = path.join(ROOT, 'cli/roundtrip.mjs');
/** What a command printed, and the status with which it ended. */
export type Ran = { status: number | null; stdout: string; stderr: string };

/** Runs `roundtrip` to its end as a process of its own, with this on its standard input and these variables beside ours. */
export async function roundtrip(
  args: string[],
  { input = '', env = {}, cwd }: { input?: string; env?: Record<string, string>; cwd?: string } = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [ENTRY, ...args], { cwd, env: { ...process.env, ...env } });
  // One that ends before it has read all of it has said why.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { status, stdout, stderr };
}

/** The Results that `roundtrip probe --json` printed, one a line. */
export const resultsOf = ({ stdout }: Pick<Ran, 'stdout'>): Result[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => Result.parse(JSON.parse(line)));
