import { existsSync, rmSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { StartError } from './start-error.ts';

/**
 * Makes a file, which is there once it is whole: until then it is FILE.part, and it is gone where `write` throws or Ctrl-C ends the command.
 * Others cannot read it. Throws StartError where there is such a file, or it cannot be written.
 */
export async function writeWhole<T>(file: string, write: (to: Writable) => Promise<T>): Promise<T> {
  if (existsSync(file)) throw new StartError(`${file} exists already: name another file, or remove it first.`);
  const part = `${file}.part`;
  const unwritable = ({ message }: Error) => new StartError(`${file} cannot be written: ${message}.`);
  const handle = await open(part, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw unwritable(error);
    throw new StartError(
      `${part} exists: another command writes it, or one was cut off. Name another file, or remove it.`,
    );
  });
  const stop = (signal: 'SIGINT' | 'SIGTERM') => {
    rmSync(part, { force: true });
    process.exit(128 + constants.signals[signal]);
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  // `flush`: what was written is on the disk before the file gets its name.
  const to = handle.createWriteStream({ flush: true });
  try {
    const done = await write(to);
    await finished(to.end());
    await rename(part, file);
    return done;
  } catch (error) {
    // Destroyed, it has an error of its own for what it still had to write.
    const problem = to.errored;
    to.destroy();
    await rm(part, { force: true });
    throw problem ? unwritable(problem) : error;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}
