// `npm run test:clock`: unit and integration tests with the clock set to instants at which days, months, years and summer
// times begin and end, under rotating time zones. `-- --only 3,9` takes some of the instants, by their number; `--project
// unit` one project; names of files those alone.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { build } from '#cli/build.ts';
import { ROOT } from '#cli/dist.mjs';
import { findOrInstallFaketime } from './support/faketime.ts';
import { headline, runTool, say } from './support/step.ts';

/**
 * The real clock stands for none of these. The runs take minutes, so that some begin before midnight and end after it. All lie
 * years ahead: libfaketime unsets the clock within epoll_wait, so that PostgreSQL's timers see the real time. Where the clock
 * is set ahead, its time-outs never fire, which the tests that ask for one know (CLOCK_IS_SET_AHEAD); were it set back, they
 * would fire at once.
 */
const INSTANTS = [
  { at: '2030-11-22T15:00:00Z', zone: 'Asia/Shanghai', why: 'Friday night in China' },
  { at: '2030-11-22T21:00:00Z', zone: 'America/New_York', why: 'Friday' },
  { at: '2030-11-23T03:00:00Z', zone: 'Pacific/Chatham', why: 'Saturday' },
  { at: '2030-11-23T12:00:00Z', zone: 'UTC', why: 'Saturday' },
  { at: '2030-11-23T23:58:00Z', zone: 'Asia/Shanghai', why: 'into Sunday' },
  { at: '2030-11-24T01:11:00Z', zone: 'UTC', why: 'Sunday, at a time when a test was red' },
  { at: '2030-11-24T06:00:00Z', zone: 'America/New_York', why: 'Sunday' },
  { at: '2030-11-24T18:00:00Z', zone: 'Pacific/Chatham', why: 'Sunday, Monday in China' },
  { at: '2030-11-25T09:00:00Z', zone: 'Asia/Shanghai', why: 'Monday' },
  { at: '2032-02-29T12:00:00Z', zone: 'Pacific/Chatham', why: '29 February' },
  { at: '2030-12-31T23:50:00Z', zone: 'UTC', why: 'into a new year' },
  { at: '2031-01-31T23:57:00Z', zone: 'America/New_York', why: 'into a new month' },
  { at: '2031-03-09T06:57:00Z', zone: 'America/New_York', why: 'into summer time' },
  { at: '2031-11-02T05:57:00Z', zone: 'America/New_York', why: 'out of summer time' },
  { at: '2031-04-05T13:42:00Z', zone: 'Pacific/Chatham', why: 'out of summer time, at 02:45' },
];
type Instant = (typeof INSTANTS)[number];
type Row = Instant & { number: number; passed: number; failed: string[]; underLoad: string[] };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, project: { type: 'string', multiple: true, default: ['unit', 'integration*'] } },
});
const reports = path.join(ROOT, 'test-results', 'clock');

const FAKETIME = findOrInstallFaketime(say);

/**
 * What sets the clock of a process and of all that it starts. The distance to the real clock is given, for an instant would
 * be every process's own beginning. The monotonic clock and the times of files stay real.
 */
function environmentAt(at: number, zone: string): Record<string, string> {
  const seconds = Math.round((at - Date.now()) / 1_000);
  return {
    LD_PRELOAD: FAKETIME,
    FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}s`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
    NODE_OPTIONS: `--import ${path.join(ROOT, 'tests/support/clock-child.mjs')}`,
    TZ: zone,
  };
}

const Report = z.object({
  numPassedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      startTime: z.number(),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
});

/** Runs test files by a set clock, those of the projects where none is named. Null where the run itself went wrong. */
async function runAt(at: number, zone: string, files: string[], name: string) {
  const output = path.join(reports, `${name}.json`);
  rmSync(output, { force: true });
  const projects = values.project.flatMap((project) => ['--project', project]);
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${output}`];
  const status = await runTool('vitest/vitest.mjs', ['run', ...projects, ...reporters, ...files], {
    mayFail: true,
    env: environmentAt(at, zone),
  });
  if (!existsSync(output)) return null;
  const report = Report.parse(JSON.parse(readFileSync(output, 'utf8')));
  // An error outside of any test fails the run, and no file of it.
  return status === 0 || report.testResults.some(isFailed) ? report : null;
}

const isFailed = ({ status }: { status: string }) => status === 'failed';

/** A file that failed is run again alone, from the instant at which it had begun: what passes then failed under load. */
async function runInstant(number: number, instant: Instant): Promise<Row> {
  const { at, zone } = instant;
  const row: Row = { ...instant, number, passed: 0, failed: [], underLoad: [] };
  const report = await runAt(Date.parse(at), zone, positionals, String(number));
  if (report === null) return { ...row, failed: ['the run itself'] };
  row.passed = report.numPassedTests;
  for (const { name, startTime, assertionResults } of report.testResults.filter(isFailed)) {
    const file = path.relative(ROOT, name);
    say(`${file} failed, and is run again alone.`);
    const again = await runAt(startTime || Date.parse(at), zone, [file], `${number}-${path.basename(file)}`);
    const named = (failed: { fullName: string }[]) =>
      (failed.length > 0 ? failed : [{ fullName: 'as a whole' }]).map(({ fullName }) => `${file}: ${fullName}`);
    if (again === null || again.testResults.some(isFailed)) {
      row.failed.push(...named(again?.testResults.flatMap((each) => each.assertionResults).filter(isFailed) ?? []));
      continue;
    }
    const recovered = assertionResults.filter(isFailed);
    row.passed += recovered.length;
    row.underLoad.push(...named(recovered));
  }
  return row;
}

/** A process that was killed leaves libfaketime's shared memory behind. */
function sweepSharedMemory(): void {
  for (const name of readdirSync('/dev/shm')) {
    const pid = /^(?:sem\.)?faketime_(?:sem|shm)_(\d+)$/.exec(name)?.[1];
    if (pid && !existsSync(`/proc/${pid}`)) rmSync(path.join('/dev/shm', name), { force: true });
  }
}

mkdirSync(reports, { recursive: true });
await build('program');
const wanted = values.only?.split(',').map(Number) ?? INSTANTS.map((_, index) => index + 1);
const rows: Row[] = [];
for (const number of wanted) {
  const instant = INSTANTS[number - 1];
  if (!instant) throw new Error(`--only takes numbers from 1 to ${INSTANTS.length}`);
  const done = headline(`${number}: ${instant.at} ${instant.zone} (${instant.why})`);
  rows.push(await runInstant(number, instant));
  sweepSharedMemory();
  done();
}
say('\n| | instant | zone | | passed | failed | failed under load alone |\n|---|---|---|---|---|---|---|');
for (const { number, at, zone, why, passed, failed, underLoad } of rows)
  say(`| ${number} | ${at} | ${zone} | ${why} | ${passed} | ${failed.length} | ${underLoad.length} |`);
for (const { number, failed, underLoad } of rows) {
  for (const test of failed) say(`${number} FAILED ${test}`);
  for (const test of underLoad) say(`${number} under load ${test}`);
}
process.exitCode = rows.some(({ failed }) => failed.length > 0) ? 1 : 0;
