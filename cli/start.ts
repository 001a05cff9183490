import type { Command } from 'commander';
import { readOptions, type TypedOptions } from './start/options.ts';
import { supervise } from './start/supervise.ts';

/** `roundtrip start`: everything in one terminal, until Ctrl-C or SIGTERM. */
export function startCommand(program: Command): void {
  program
    .command('start')
    .description('start everything in one terminal: database, web, jobs, a prober for this machine')
    .argument('[URL...]', 'https URLs to monitor')
    .option('--port <port>', 'port of the dashboard (PORT, else 3000)')
    .option('--host <address>', 'address to listen on (HOST, else 127.0.0.1)')
    .option('--no-demo', 'run without the demo network; removes an existing one')
    .option('--apart', 'run the jobs in a process of their own, not in that of the dashboard')
    .action(async (urls: string[], typed: TypedOptions) => {
      await supervise(readOptions(typed, urls));
      // Everything has stopped; an idle connection of our own is nothing to wait for.
      process.exit();
    });
}
