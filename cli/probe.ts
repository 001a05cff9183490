import type { Command } from 'commander';
import type { Result } from '#contract/result.ts';
import { alpnList, caFile, oneOf, probeUrl, rate, resolveEntry, wholeNumber } from './probe/arguments.ts';
import { paintFor, wantsColour } from './probe/paint.ts';
import { type ProbeOptions, planOf } from './probe/plan.ts';
import { Summary } from './probe/summary.ts';
import { runOnThreads } from './probe/threads.ts';
import { waterfall } from './probe/waterfall.ts';

const MOST_PRINTED = 20;

/** `roundtrip probe URL`: one check from here. Exit status 1 where a probe failed, 2 for bad arguments. */
export function probeCommand(program: Command): void {
  program
    .command('probe')
    .description('measure one URL from here: a waterfall for people, or one Result a line with --json')
    .argument('<url>', 'an https URL; without a scheme https is meant', probeUrl)
    .option('--count <n>', 'probes to run', wholeNumber(1, 1_000_000), 1)
    .option('--rate <per-second>', 'starts per second', rate)
    .option('--concurrency <n>', 'probes in flight at most', wholeNumber(1, 10_000))
    .option('--threads <n>', 'threads that share the work', wholeNumber(1, 64), 1)
    .option('--json', 'one Result a line', false)
    .option('--resume', 'follow each probe with one that resumes its session', false)
    .option('--tls <version>', 'pin TLS 1.2 or 1.3', oneOf('1.2', '1.3'))
    .option('--alpn <list>', 'protocols to offer: h2,http/1.1', alpnList)
    .option('--sigalgs <kind>', 'pin the kind of certificate: RSA or ECDSA', oneOf('RSA', 'ECDSA'))
    .option('--family <4|6>', 'pin IPv4 or IPv6', oneOf('4', '6'))
    .option('--resolve <host:port:address>', 'a fixed address, as in curl; may be repeated', resolveEntry, [])
    .option('--cacert <file>', 'trusted roots (PEM) instead of the public ones', caFile)
    .option('--insecure', 'go on after a certificate that cannot be trusted', false)
    .option('--no-http', 'end with the handshake')
    .option('--timeout <ms>', 'for the whole probe', wholeNumber(100, 600_000))
    .action(async (url: string, options: ProbeOptions) => {
      process.exitCode = (await probe(url, options)) ? 0 : 1;
    });
}

/** Runs and prints; false where any probe failed. */
async function probe(url: string, options: ProbeOptions): Promise<boolean> {
  // `roundtrip probe ... | head` closes our output: there is nobody left to print to.
  process.stdout.on('error', () => process.exit(1));
  const summary = new Summary();
  const startedAt = performance.now();
  const print = options.json ? printJson : printerForPeople();
  const finish = () => {
    if (options.count === 1 || options.json) return;
    process.stdout.write(`\n${summary.text(performance.now() - startedAt)}`);
  };
  // Whoever stops a long run early still wants to know what came of it.
  process.once('SIGINT', () => {
    finish();
    process.exit(130);
  });
  await runOnThreads(planOf(url, options), options.threads, (result) => {
    summary.add(result);
    print(result);
  });
  finish();
  return summary.failures === 0;
}

function printJson(result: Result): void {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

/** Waterfalls of the first probes; where there are more, the summary speaks for them, but a failure is always shown. */
function printerForPeople(): (result: Result) => void {
  const paint = paintFor(wantsColour(process.stdout, process.env));
  let printed = 0;
  return (result) => {
    if (result.ok && printed >= MOST_PRINTED) return;
    printed += 1;
    process.stdout.write(`${printed > 1 ? '\n' : ''}${waterfall(result, paint)}`);
  };
}
