import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import path from 'node:path';
import { ROOT } from '#cli/dist.mjs';
import { collect, freePort, stop } from './process.ts';

/** A whole Roundtrip, started as a person would. */
export type Stack = {
  url: string;
  /** The admin's password, printed at the first start alone. */
  password: string | null;
  child: ChildProcess;
  /** Milliseconds from the start of the process to the address. */
  addressMs: number;
  output: () => string;
  /** Sends the signal and returns the exit status. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>;
};

/** `command` runs Node and whatever goes before it; this very Node where left out. */
export type StackOptions = {
  dataDir: string;
  args?: string[];
  env?: Record<string, string>;
  port?: number;
  command?: string[];
};

/** Runs `roundtrip` with these arguments, as `account`, and without any variable of ours that happens to be set. */
export function spawnRoundtrip(
  args: string[],
  env: Record<string, string> = {},
  account: Pick<SpawnOptions, 'uid' | 'gid'> = {},
  stdin: 'ignore' | 'pipe' = 'ignore',
  [program = process.execPath, ...before]: string[] = [],
): ChildProcess {
  const clean = Object.entries(process.env).filter(
    ([name]) => !/^(ROUNDTRIP_|DATABASE_URL$|PORT$|HOST$|LOG_LEVEL$|VITEST|NODE_ENV$)/.test(name),
  );
  return spawn(program, [...before, path.join(ROOT, 'cli/roundtrip.mjs'), ...args], {
    ...account,
    cwd: ROOT,
    env: { NODE_ENV: 'production', ...Object.fromEntries(clean), ...env },
    stdio: [stdin, 'pipe', 'pipe'],
  });
}

/** Starts everything and returns when the dashboard's address is printed; throws with the output when it ends before. */
export async function startStack({ dataDir, args = [], env = {}, port, command }: StackOptions): Promise<Stack> {
  const startedAt = performance.now();
  const listenAt = port ?? (await freePort());
  const child = spawnRoundtrip(
    ['start', '--port', String(listenAt), ...args],
    { ROUNDTRIP_DATA: dataDir, ...env },
    {},
    'ignore',
    command,
  );
  const output = collect(child);
  await addressPrinted(child, output);
  return {
    url: `http://127.0.0.1:${listenAt}`,
    password: /^Admin password: (\S+)/m.exec(output())?.[1] ?? null,
    child,
    addressMs: performance.now() - startedAt,
    output,
    stop: (signal = 'SIGTERM') => stop(child, signal),
  };
}

function addressPrinted(child: ChildProcess, output: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', () => {
      // The line after the address and the password.
      if (/^Ctrl-C stops/m.test(output())) resolve();
    });
    child.once('exit', (code) => reject(new Error(`roundtrip start ended with ${code}:\n${output()}`)));
  });
}
