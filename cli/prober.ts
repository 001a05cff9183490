import type { Command } from 'commander';
import { runProber } from '#workers/prober/run.ts';
import { proberSettings } from '#workers/prober/settings.ts';

type Options = {
  server?: string;
  token?: string;
  data?: string;
  threads?: string;
  allowPrivate?: string[];
  insecureServer?: boolean;
};

/** `roundtrip prober`: the worker at a vantage, in the foreground. */
export function proberCommand(program: Command): void {
  const command = program
    .command('prober')
    .description('run the prober of a vantage: measure the checks that the server assigns, and upload the results')
    .option('--server <url>', 'address of the Roundtrip server (or ROUNDTRIP_SERVER)')
    .option(
      '--token <token>',
      'one-time enrolment token, required at the first start (or ROUNDTRIP_TOKEN, or a file: ROUNDTRIP_TOKEN_FILE)',
    )
    .option('--data <folder>', 'folder for the credential and results not yet uploaded; one per prober')
    .option(
      '--threads <n>',
      'number of measuring threads (or ROUNDTRIP_THREADS; default: one less than cores, at most 4)',
    )
    .option(
      '--allow-private <cidr>',
      'network that is not public and that this prober may reach, where the server allows it too; repeatable, or with commas between (or ROUNDTRIP_ALLOW_PRIVATE; default: none)',
      (value: string, before: string[] = []) => [...before, value],
    )
    .option('--insecure-server', 'accept an http:// server that is not this machine (or ROUNDTRIP_INSECURE_SERVER=1)')
    .action(async (options: Options) => {
      const settings = proberSettings(options, process.env);
      if (typeof settings === 'string') return command.error(`error: ${settings}`, { exitCode: 2 });
      process.exit(await runProber(settings));
    });
}
