import { type Command, InvalidArgumentError } from 'commander';
import { ALLOWED_CHANGES } from '#analysis/what-if/what-if.ts';
import { MAX_REDIRECTS, METHODS } from '#contract/target.ts';
import {
  alpnList,
  MAX_URLS,
  oneOf,
  probeUrl,
  probeUrls,
  rate,
  resolveEntry,
  resolverAddress,
  serverName,
  whatIfArgument,
  wholeNumber,
} from './probe/arguments.ts';
import { type ExitStatus, failIfArgument } from './probe/conditions.ts';
import { endProcess } from './probe/end.ts';
import { apiKeyFile, caFile, certificateFile, keyFile } from './probe/files.ts';
import { fromPlaces, measurementOf, refuseWithoutFrom } from './probe/from-arguments.ts';
import { row } from './probe/layout.ts';
import { runAndPrint } from './probe/output.ts';
import { type Plan, type ProbeOptions, plansOf } from './probe/plan.ts';
import { bodyText, expectedText, headerEntry, statusList } from './probe/request-arguments.ts';

const EXAMPLES = `
Examples:
  One probe as a waterfall; a hundred Results, ten a second:
    roundtrip probe example.org
    roundtrip probe example.org --count 100 --rate 10 --json
  Further handshakes, each a separate Result: resumed; with RSA and ECDSA certificates:
    roundtrip probe example.org --resume --sigalgs both
  Through another resolver; at a fixed address, under another server name:
    roundtrip probe example.org --resolver 192.0.2.53
    roundtrip probe example.org --resolve example.org:443:192.0.2.1 \\
      --sni www.example.org
  A custom request, and the expected response:
    roundtrip probe api.example.org/orders --data @order.json \\
      --header 'Content-Type: application/json' \\
      --expect-status 201 --expect-text '"id"'
  What TLS 1.3 and a chain of 1 kB would be worth, for browsers and API clients:
    roundtrip probe example.org --what-if tls=1.3,chain=1k
  Two addresses, probed in turn, side by side:
    roundtrip probe example.org --compare www.example.org --count 10
  Several URLs as a table; status 3 if a handshake takes long or a certificate ends soon:
    roundtrip probe example.org www.example.org --fail-if 'tls>200,expiry<14d'
  From the vantages of a server in two provinces, and all of a carrier:
    ROUNDTRIP_KEY=rt_... roundtrip probe example.org \\
      --server https://monitor.example.org --from CN-GD,CN-BJ --from unicom
  With a client certificate; following redirects:
    roundtrip probe intranet.example.org --cert client.pem --key client.key
    roundtrip probe example.org --redirects 3
`;

const EXIT_STATUS = `
Exit status: 0 if every probe succeeded, 1 if one failed, 2 for bad arguments,
  3 if none failed but a condition of --fail-if was met, 130 after Ctrl-C,
  which cancels a measurement of --from.
`;

/** `roundtrip probe URL...`: checks from here. */
export function probeCommand(program: Command): void {
  const command = program
    .command('probe')
    .description(
      'measure URLs from this machine: a waterfall of one, a table of several, or one JSON Result per line with --json',
    )
    .argument(
      '<url...>',
      `up to ${MAX_URLS} https URLs, probed one after the other; the scheme may be omitted`,
      probeUrls,
    )
    .option('--count <n>', 'probes to run', wholeNumber(1, 1_000_000), 1)
    .option('--rate <per-second>', 'starts per second', rate)
    .option('--concurrency <n>', 'maximum number of probes in flight', wholeNumber(1, 10_000))
    .option('--threads <n>', 'number of measuring threads', wholeNumber(1, 64), 1)
    .option('--json', 'print one JSON Result per line', false)
    .option('--timeout <ms>', 'time-out of the whole probe', wholeNumber(100, 600_000))
    .option('--compare <url>', 'probe this address in turn with the other, and show both side by side', probeUrl)
    .option('--explain', 'show all advice, and the figures behind every finding', false)
    .option('--what-if <changes>', 'predict the times with these changes: tls=1.3,chain=1k', whatIfArgument);
  command.option(
    '--fail-if <conditions>',
    'end with status 3 if one holds or its value is unknown: tls>200,expiry<14d,status>=400',
    failIfArgument,
  );
  fromOptions(command);
  connectionOptions(command);
  requestOptions(command);
  command
    .addHelpText('after', `${EXAMPLES}${row('', `Changes of --what-if: ${ALLOWED_CHANGES}.`, 2)}\n${EXIT_STATUS}`)
    .action(async (urls: string[], options: ProbeOptions) => {
      if (options.from) {
        const wanted = orExit(command, () => measurementOf(command, urls, options));
        await endProcess(await (await import('./probe/from.ts')).probeFrom(wanted, options));
      }
      const plans = orExit(command, () => {
        refuseWithoutFrom(command);
        return plansOf(urls, options);
      });
      await endProcess(await run(plans, options));
    });
}

/** Texts and advice are loaded where they are needed. */
async function run(plans: Plan[], options: ProbeOptions): Promise<ExitStatus> {
  const [plan, other] = plans;
  if (!plan) throw new Error('there is no URL to probe');
  if (!other) return runAndPrint(plan, options);
  if (options.compare === undefined) return (await import('./probe/table.ts')).probeAndTabulate(plans, options.json);
  return (await import('./probe/compare.ts')).compareAndPrint([plan, other], options.json);
}

/** Where it is probed, if not from here. */
function fromOptions(command: Command): void {
  command
    .option(
      '--from <places>',
      'probe from vantages of a Roundtrip server: all, or regions, countries and carriers (CN-GD,CN-BJ,unicom: Unicom in both); may be repeated',
      fromPlaces,
    )
    .option('--server <url>', 'address of that server (or ROUNDTRIP_SERVER); its API key is in ROUNDTRIP_KEY')
    .option('--key-file <file>', 'file with the API key (scope write) instead of ROUNDTRIP_KEY', apiKeyFile)
    .option('--insecure-server', 'accept an http:// server that is not this machine (or ROUNDTRIP_INSECURE_SERVER=1)');
}

/** How the server is reached, and which handshake it is to make. */
function connectionOptions(command: Command): void {
  command
    .option('--resume', 'follow each probe with one that resumes its session', false)
    .option('--reuse', 'follow each probe with a second request on its connection')
    .option('--tls <version>', 'pin TLS 1.2 or 1.3', oneOf('1.2', '1.3'))
    .option('--alpn <list>', 'protocols to offer: h2,http/1.1', alpnList)
    .option(
      '--sigalgs <kind>',
      'pin the certificate type: RSA or ECDSA; both: probe each type after the main probe',
      oneOf('RSA', 'ECDSA', 'both'),
    )
    .option('--sni <name>', "server name (SNI), if it differs from the URL's host", serverName)
    .option('--family <4|6>', 'pin IPv4 or IPv6', oneOf('4', '6'))
    .option('-4, --ipv4', 'use IPv4 addresses only: --family 4')
    .option('-6, --ipv6', 'use IPv6 addresses only: --family 6')
    .option(
      '--resolve <host:port:address[,address]...>',
      'fixed addresses, tried in turn, as in curl; may be repeated',
      resolveEntry,
    )
    .option(
      '--resolver <address[:port]>',
      "resolver to use instead of the system's and the hosts file",
      resolverAddress,
    )
    .option('--no-certificate-compression', 'do not offer certificate compression, which browsers do')
    .option('--cacert <file>', 'trusted roots (PEM) instead of the public ones', caFile)
    .option('--insecure', 'continue if the certificate cannot be verified', false)
    .option('--cert <file>', 'client certificate (PEM), with its chain and optionally its key', certificateFile)
    .option('--key <file>', 'key of the client certificate (PEM, without a passphrase)', keyFile);
}

/** What is asked of the server, and what it must answer. */
function requestOptions(command: Command): void {
  command
    .option('--no-http', 'stop after the handshake')
    .option('-X, --method <method>', 'request method (default: GET, or POST with --data)', oneOf(...METHODS))
    .option('--compressed', 'request a compressed body, as browsers do (br, gzip)')
    .option('-H, --header <header>', "request header: 'Name: value'; may be repeated", headerEntry)
    .option('-d, --data <text|@file>', 'request body; @- reads standard input', bodyText)
    .option('--expect-status <list>', 'expected statuses, such as 200,204 or 2xx (default: all below 400)', statusList)
    .option('--expect-text <text>', 'text that the first MiB of the response must contain', expectedText)
    .option('--expect-no-text <text>', 'text that it must not contain', expectedText)
    .option('--redirects <n>', 'redirects to follow, each as a separate Result', wholeNumber(0, MAX_REDIRECTS));
}

/** What is wrong with several options together is told as what is wrong with one. */
function orExit<T>(command: Command, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof InvalidArgumentError) command.error(`error: ${error.message}`);
    throw error;
  }
}
