import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { keepLogsSmall, LogFile } from '#cli/log-file.ts';
import { Clerk } from '#cli/start/clerk.ts';
import { Running } from '#cli/start/running.ts';
import { openTerminal } from '#cli/start/terminal.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-logs-'));
afterAll(() => rmSync(folder, { recursive: true }));
const TOO_LARGE = 'x'.repeat(10 * 2 ** 20);
const sizeOf = (file: string) => statSync(file).size;

/** A log in a folder of its own, which is made when the log is opened. */
let made = 0;
const newLog = () => new LogFile(path.join(folder, String(made++), 'part.log'));

it('a log that grows too large while a process writes to it is emptied, and kept as the old one', async () => {
  const log = newLog();
  const output = log.open();
  const child = spawn('/bin/sh', ['-c', 'echo before; read -r line; echo "$line"'], {
    stdio: ['pipe', output, output],
  });
  closeSync(output);
  await expect.poll(() => sizeOf(log.file)).toBe(7);
  const start = log.mark();
  appendFileSync(log.file, TOO_LARGE);
  log.keepSmall();
  expect([sizeOf(log.file), sizeOf(`${log.file}.1`)]).toEqual([0, TOO_LARGE.length + 7]);
  child.stdin?.end('Error: after\n');
  await once(child, 'close');
  expect(readFileSync(log.file, 'utf8')).toBe('Error: after\n');
  expect(log.since(start)).toBe('Error: after\n');
  log.keepSmall();
  expect(log.since(start)).toBe('Error: after\n');
  expect(log.since(log.mark())).toBe('');
});

it('what a process writes is found where opening its log has emptied it', () => {
  const log = newLog();
  closeSync(log.open());
  appendFileSync(log.file, TOO_LARGE);
  const before = log.mark();
  closeSync(log.open());
  appendFileSync(log.file, 'Error: after\n');
  expect([log.since(before), log.since(log.mark())]).toEqual(['Error: after\n', '']);
});

it('one old log is kept, and nothing else is written over where its name leads elsewhere', () => {
  const log = newLog();
  closeSync(log.open());
  const other = path.join(folder, 'other');
  writeFileSync(other, 'of somebody else');
  symlinkSync(other, `${log.file}.1`);
  for (const line of ['first', 'second']) {
    appendFileSync(log.file, line + TOO_LARGE);
    log.keepSmall();
    expect(readFileSync(`${log.file}.1`, 'utf8').startsWith(line)).toBe(true);
  }
  expect(readFileSync(other, 'utf8')).toBe('of somebody else');
});

it('what runs has its logs kept small until it is stopped: of a part, of the clerk and of the database', async () => {
  const [part, clerk, database] = ['part', 'clerk', 'database'].map((name) => new LogFile(path.join(folder, name)));
  if (!(part && clerk && database)) throw new Error('three logs');
  const logs = [part, clerk, database];
  const terminal = openTerminal(process.stderr);
  const running = new Running(terminal, new Clerk(clerk.file), 5);
  await running.startPart('jobs', { name: 'Jobs', entry: 'jobs', env: () => null, logFile: part.file });
  await running.holdDatabase(Promise.resolve({ stop: async () => {}, logFile: database }));
  for (const { file } of logs) writeFileSync(file, TOO_LARGE);
  await expect.poll(() => logs.map(({ file }) => sizeOf(file))).toEqual([0, 0, 0]);
  await running.stop();
  for (const { file } of logs) writeFileSync(file, TOO_LARGE);
  // One that is still looked at tells when they would have been.
  const later = new LogFile(path.join(folder, 'later'));
  writeFileSync(later.file, TOO_LARGE);
  const leave = keepLogsSmall(() => [later], 20);
  await expect.poll(() => sizeOf(later.file)).toBe(0);
  leave();
  expect(logs.map(({ file }) => sizeOf(file))).toEqual(logs.map(() => TOO_LARGE.length));
});
