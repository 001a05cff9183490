import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findGo } from './go.ts';
import { collect, freePort, stop } from './process.ts';

// Later versions cannot be built from Go's module proxy: their web interface is not in the module.
const VERSION = 'v0.28.1';
const PACKAGE = `github.com/prometheus/alertmanager/cmd/alertmanager@${VERSION}`;
const CACHE = path.join(import.meta.dirname, '../../node_modules/.cache/roundtrip-alertmanager', VERSION);
const LONGEST_BUILD_MS = 900_000;

/** Alertmanager's own binary, built once through Go's module proxy; a sentence says why there is none. */
export async function findAlertmanager(): Promise<{ file: string } | string> {
  const file = path.join(CACHE, 'alertmanager');
  if (existsSync(file)) return { file };
  const go = findGo();
  if (go === null) return 'there is no Go here to build Alertmanager with';
  mkdirSync(CACHE, { recursive: true });
  try {
    await promisify(execFile)(go, ['install', PACKAGE], {
      env: { ...process.env, GOBIN: CACHE, GOMAXPROCS: '1' },
      cwd: tmpdir(),
      timeout: LONGEST_BUILD_MS,
    });
    return { file };
  } catch (error) {
    return `Alertmanager could not be built: ${error instanceof Error ? error.message.slice(-300) : String(error)}`;
  }
}

export type Alertmanager = { url: string; stop: () => Promise<void> };

/** Starts it alone, on free ports of 127.0.0.1, with a folder of its own. */
export async function startAlertmanager(file: string): Promise<Alertmanager> {
  const folder = await mkdtemp(path.join(tmpdir(), 'roundtrip-alertmanager-'));
  const config = path.join(folder, 'alertmanager.yml');
  await writeFile(config, 'route: {receiver: none}\nreceivers: [{name: none}]\n');
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = spawn(
    file,
    [
      `--config.file=${config}`,
      `--storage.path=${folder}`,
      `--web.listen-address=${new URL(url).host}`,
      '--cluster.listen-address=',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  await listening(child);
  return {
    url,
    stop: async () => {
      await stop(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** It says so in its log. */
function listening(child: ChildProcess): Promise<void> {
  const said = collect(child);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.stderr?.on('data', () => {
    if (said().includes('Listening on')) resolve();
  });
  child.on('exit', () => reject(new Error(`Alertmanager ended: ${said().slice(-500)}`)));
  return promise;
}
