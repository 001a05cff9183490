import { Command } from 'commander';
import { runProber } from '#workers/prober/run.ts';
import { proberSettings } from '#workers/prober/settings.ts';

type Options = { server?: string; token?: string; data?: string; threads?: string };

/** `roundtrip prober`: the worker at a vantage, in the foreground. Given a program, it becomes one of its commands. */
export function proberCommand(program?: Command): Command {
  const command = new Command('prober')
    .description('Run the prober of a vantage: it measures what the server assigns to it and uploads the results.')
    .option('--server <url>', 'address of the Roundtrip server (or ROUNDTRIP_SERVER)')
    .option('--token <token>', 'one-time enrolment token, needed for the first start (or ROUNDTRIP_TOKEN)')
    .option('--data <folder>', 'where the credential and results not yet uploaded are kept; one prober a folder')
    .option(
      '--threads <n>',
      'threads that measure (or ROUNDTRIP_THREADS); one less than cores, 4 at most, where left out',
    )
    .action(async (options: Options) => {
      const settings = proberSettings(options, process.env);
      if (typeof settings === 'string') return command.error(`error: ${settings}`, { exitCode: 2 });
      process.exit(await runProber(settings));
    });
  program?.addCommand(command);
  return command;
}
