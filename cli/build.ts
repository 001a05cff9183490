import type { Command } from 'commander';
import { prepareBundles, prepareClient, prepareWeb } from './prepare.ts';
import { openTerminal } from './start/terminal.ts';

/** `roundtrip build`: what `roundtrip start` would build at its first start. */
export function buildCommand(program: Command): void {
  program
    .command('build')
    .description(
      'generate the database client, bundle the server and build the web application, if missing or outdated',
    )
    .option('--bundles-only', 'leave the web application out, and show what is done in one line')
    .action(async ({ bundlesOnly }: { bundlesOnly?: boolean }) => {
      if (bundlesOnly) return buildBundles();
      let shown = '';
      const progress = (text: string) => {
        if (text !== shown) process.stdout.write(`${text}\n`);
        shown = text;
      };
      await prepareClient(progress);
      const bundled = await prepareBundles(progress);
      process.stdout.write((await prepareWeb(progress)) || bundled ? 'built\n' : 'up to date\n');
    });
}

/** The first step of a start (roundtrip.mjs). Where it fails, the start goes on without. */
async function buildBundles(): Promise<void> {
  const terminal = openTerminal(process.stdout);
  const progress = (text: string) => terminal.progress('Bundles', text);
  try {
    await prepareClient(progress);
    const bundled = await prepareBundles(progress);
    if (bundled) terminal.line('Bundles', 'done');
  } catch (error) {
    terminal.line('Bundles', `left out, which takes more memory: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}
