import { type Command, Option } from 'commander';
import { KeyCreate, KeyScope } from '#contract/key.ts';
import { withDatabase } from './database/database.ts';

/** `roundtrip key create`: prints an API key, and nothing else, on standard output. */
export function keyCommand(program: Command): void {
  const key = program.command('key').description('API keys');
  key
    .command('create')
    .description('create an API key and print it once; works while the server runs')
    .addOption(new Option('--scope <scope>', 'access of the key').choices(KeyScope.options).makeOptionMandatory())
    .option('--name <name>', 'name of the key', 'key')
    .action(async (typed: { scope: string; name: string }) => {
      const created = await withDatabase(async () => {
        const { createKey } = await import('#server/access/keys.ts');
        return createKey(KeyCreate.parse(typed));
      });
      process.stdout.write(`${created.key}\n`);
    });
}
