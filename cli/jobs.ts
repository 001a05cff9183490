import type { Command } from 'commander';

/** `roundtrip jobs`: the housekeeping beside the database alone, for a container or a service manager. */
export function jobsCommand(program: Command): void {
  program
    .command('jobs')
    .description('run rollups, partitions and other housekeeping alone; needs DATABASE_URL')
    .action(async () => {
      Object.assign(process.env, { NODE_ENV: 'production' });
      await import('#workers/jobs/main.ts');
    });
}
