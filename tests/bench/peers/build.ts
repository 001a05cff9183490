import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { findGo } from '../../support/go.ts';

const run = promisify(execFile);
const FOLDER = import.meta.dirname;
const CACHE = path.join(FOLDER, '../../../node_modules/.cache/roundtrip-peers');

/** A prober of others, built: its file and the version that go.mod pins. */
export type Peer = { file: string; version: string };

/**
 * Builds the tools that go.mod pins (minutes the first time, seconds later) and finds the one whose module is `module`.
 * A string says why it cannot be had here.
 */
export async function buildPeer(name: string, module: string): Promise<Peer | string> {
  const go = findGo();
  if (go === null) return `${name} is left out: there is no Go here to build it with`;
  mkdirSync(CACHE, { recursive: true });
  try {
    const tool = await toolOf(go, name);
    await run(go, ['build', '-o', path.join(CACHE, name), tool], { cwd: FOLDER });
    const { stdout } = await run(go, ['list', '-m', '-f', '{{.Version}}', module], { cwd: FOLDER });
    return { file: path.join(CACHE, name), version: stdout.trim() };
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n').slice(1);
    return `${name} is left out: it could not be built (${reason.trim() || 'no reason given'})`;
  }
}

/** The package of the tool, as go.mod names it. */
async function toolOf(go: string, name: string): Promise<string> {
  const { stdout } = await run(go, ['list', '-f', '{{.ImportPath}}', 'tool'], { cwd: FOLDER });
  const tool = stdout.split('\n').find((line) => line.endsWith(`/${name}`));
  if (tool === undefined) throw new Error(`go.mod\nnames no tool ${name}`);
  return tool;
}
