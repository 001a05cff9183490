import type { Command } from 'commander';

/** `roundtrip build`: what every command does where that is needed (roundtrip.mjs), and nothing after it. */
export function buildCommand(program: Command): void {
  program
    .command('build')
    .description('make dist/, which all commands run, where it is missing or older than its sources')
    .option('--no-web', 'leave the web application out')
    .action(() => {
      process.stdout.write('dist/ is up to date\n');
    });
}
