import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import { chromium } from '@playwright/test';
import { ROOT } from '#cli/dist.mjs';

/** The headless shell first: it draws the same pages, and asks for a third less of a processor. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Path of a Chromium: `CHROMIUM`, one on PATH, Playwright's own, or null. */
export function findBrowser(env: NodeJS.ProcessEnv = process.env): string | null {
  if (env.CHROMIUM) return env.CHROMIUM;
  const folders = (env.PATH ?? '').split(path.delimiter).filter(Boolean);
  const onPath = folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name))).find(isExecutable);
  if (onPath) return onPath;
  const own = chromium.executablePath();
  return own && existsSync(own) ? own : null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Like findBrowser, and installs one where there is none. Throws with what to do when that fails too. */
export async function findOrInstallBrowser(say: (text: string) => void): Promise<string> {
  const found = findBrowser();
  if (found) return found;
  say('No Chromium is here: installing the one of Playwright.');
  run(process.execPath, [path.join(ROOT, 'node_modules/@playwright/test/cli.js'), 'install', 'chromium']);
  const own = findBrowser();
  if (own) return own;
  if (process.getuid?.() === 0) {
    say("Playwright's download is not to be had: installing Debian's chromium-headless-shell with apt-get.");
    run('apt-get', ['update', '-qq']);
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium-headless-shell', 'fonts-noto-cjk']);
  }
  const installed = findBrowser();
  if (installed) return installed;
  throw new Error('No Chromium was found or could be installed: install one, or set CHROMIUM to its path.');
}

function run(command: string, args: string[]): void {
  spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
}
