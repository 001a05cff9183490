import { parseArgs } from 'node:util';
import { ResultsQuery } from '#contract/query.ts';
import { sealDays } from '#server/blocks/seal.ts';
import { getResult } from '#server/results/results.ts';
import { streamResults } from '#server/results/stream.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';
import { onFreshDatabase } from './database.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;
const READS = 200;

/**
 * Prints what reading a sealed day costs: one result by its id, and exports, by the CPU of this process, in half a minute. Made
 * results, which are more alike than measured ones: `storage` has those. `sealed [--targets 10] [--minutes 1000]`
 */
export async function benchSealed(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { targets: { type: 'string', default: '10' }, minutes: { type: 'string', default: '1000' } },
  });
  await onFreshDatabase(() => run(Number(values.targets), Number(values.minutes)));
}

async function run(targetCount: number, minutes: number): Promise<void> {
  const vantages = [makeVantage('CN-GD', 'telecom'), makeVantage('CN-BJ', 'unicom')];
  await insertProber(vantages);
  const from = Math.floor(Date.now() / DAY) * DAY - 3 * DAY;
  const targets: string[] = [];
  for (let n = 0; n < targetCount; n++) targets.push(await insertTarget({ name: `shop ${n}` }));
  const ids: string[] = [];
  for (let minute = 0; minute < minutes; minute += 50) {
    const made = targets.flatMap((targetId, target) =>
      vantages.flatMap((vantage, place) =>
        Array.from({ length: Math.min(50, minutes - minute) }, (_, n) =>
          makeResult({
            targetId,
            vantage,
            startedAt: from + (minute + n) * MINUTE + target * 331 + place * 17,
            tls: 25 + ((n * 7919 + target * 104_729 + minute * 31) % 9_973) / 500,
          }),
        ),
      ),
    );
    await insertResults(made);
    ids.push(...made.map(({ id }) => id));
  }
  await sealDays(Date.now());
  const print = (what: string, figure: string) => process.stdout.write(`| ${what} | ${figure} |\n`);
  print(`${ids.length} sealed results, ${targetCount * vantages.length} series`, '');
  print('---', '---');
  const times: number[] = [];
  for (let n = 0; n < READS; n++) {
    const began = performance.now();
    await getResult(ids[Math.floor((n * ids.length) / READS)] ?? '');
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(1);
  print('one result by its id, p50 / p95', `${at(0.5)} / ${at(0.95)} ms`);
  const whole = { from: new Date(from).toISOString(), to: new Date(from + DAY).toISOString() };
  for (const format of ['csv', 'ndjson'] as const) {
    // The second time it is compiled.
    for (const title of [`export, first (${format})`, `export (${format})`]) {
      const [began, cpu] = [performance.now(), process.cpuUsage()];
      let bytes = 0;
      for await (const piece of await streamResults(ResultsQuery.parse(whole), format)) bytes += piece.length;
      const { user, system } = process.cpuUsage(cpu);
      const seconds = (performance.now() - began) / 1_000;
      print(
        title,
        `${((user + system) / ids.length).toFixed(1)} µs of CPU a result, ${Math.round(ids.length / seconds)} results/s, ${Math.round(bytes / ids.length)} bytes each`,
      );
    }
  }
}
