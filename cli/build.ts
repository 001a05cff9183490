import type { Command } from 'commander';
import { prepareClient, prepareWeb } from './prepare.ts';

/** `roundtrip build`: what `roundtrip start` would build at its first start. */
export function buildCommand(program: Command): void {
  program
    .command('build')
    .description('generate the database client and build the web application, if missing or outdated')
    .action(async () => {
      let shown = '';
      const progress = (text: string) => {
        if (text !== shown) process.stdout.write(`${text}\n`);
        shown = text;
      };
      await prepareClient(progress);
      process.stdout.write((await prepareWeb(progress)) ? 'built\n' : 'up to date\n');
    });
}
