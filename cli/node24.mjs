#!/usr/bin/env node
// Plain JavaScript that any Node from 18 on reads: everything after it is TypeScript, which needs Node 24. The `node`
// package in node_modules carries that binary, so the system's Node may be older.
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const NEEDED = 24;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const isNew = Number(process.versions.node.split('.')[0]) >= NEEDED;
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** The Node binary that `npm ci` brought, or null where its install script did not run. */
function packagedNode() {
  const file = path.join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');
  return existsSync(file) ? file : null;
}

function explainAndExit() {
  const installed = existsSync(path.join(root, 'node_modules'));
  const cure = installed
    ? 'the packaged one is missing because install scripts were disabled: run `npm ci --ignore-scripts=false`'
    : 'run `npm ci` first, which installs it';
  process.stderr.write(`Roundtrip needs Node ${NEEDED} or newer, but this is ${process.version}: ${cure}.\n`);
  process.exit(2);
}

/**
 * Runs Node with these arguments to its end, whose status it resolves with; a signal that ends it ends this process, too.
 * @param {string} node
 * @param {string[]} args
 */
export function runToEnd(node, args) {
  const child = spawn(node, args, { stdio: 'inherit' });
  // A terminal sends Ctrl-C to the child too; it takes two signals at once for one.
  const passOn = (signal) => child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, passOn);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      for (const each of SIGNALS) process.off(each, passOn);
      if (signal) process.kill(process.pid, signal);
      else resolve(code ?? 1);
    });
  });
}

/**
 * Lets Node keep what it compiles, types stripped: a later start is faster and 18 MB smaller, since the parser of
 * TypeScript is not loaded. Threads read the variable. Where the folder cannot be written, nothing is kept.
 */
function keepCompiled() {
  process.env.NODE_COMPILE_CACHE ||= path.join(root, 'node_modules/.cache/roundtrip-compiled');
  module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE);
}

/**
 * Imports an entry file, TypeScript or not, under Node 24, in this process where it is new enough.
 * @param {() => string | Promise<string>} entry absolute path of the file, asked for under Node 24
 * @param {string} self the script that was started, for running it again
 */
export async function runOnNode24(entry, self) {
  if (isNew) {
    keepCompiled();
    return import(pathToFileURL(await entry()).href);
  }
  const node = packagedNode();
  if (!node || realpathSync(node) === realpathSync(process.execPath)) return explainAndExit();
  process.exit(await runToEnd(node, [self, ...process.argv.slice(2)]).catch(explainAndExit));
}

// `node cli/node24.mjs FILE.ts [arguments]` runs any file of the project this way. `--path` prints the path of Node 24, for
// scripts that put it in their own place: an older Node would stay beside it, for 45 MB.
const self = fileURLToPath(import.meta.url);
if (process.argv[1] && realpathSync(process.argv[1]) === self) {
  if (process.argv[2] === '--path') printPath();
  else {
    const entry = path.resolve(process.argv[2] ?? '');
    if (isNew) process.argv.splice(1, 1);
    await runOnNode24(() => entry, self);
  }
}

function printPath() {
  const node = isNew ? process.execPath : packagedNode();
  if (node === null) explainAndExit();
  else process.stdout.write(node);
}
