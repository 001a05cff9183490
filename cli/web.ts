import type { Command } from 'commander';
import { parseWebEnvironment } from '#server/environment/environment.ts';
import { checkAddress, parsePort } from './address.ts';
import { requiredDatabaseUrl } from './database/database-url.ts';
import { serveWeb } from './web-process.ts';

/** `roundtrip web`: the dashboard and the API alone, for a container or a service manager. */
export function webCommand(program: Command): void {
  program
    .command('web')
    .description('serve only the dashboard and the API; requires DATABASE_URL and ROUNDTRIP_SECRET')
    .option('--port <port>', 'port to listen on (PORT, else 3000)')
    .option('--host <address>', 'address to listen on (HOST, else 127.0.0.1)')
    .action(async (typed: { port?: string; host?: string }) => {
      Object.assign(process.env, { NODE_ENV: 'production' });
      if (typed.port !== undefined) process.env.PORT = String(parsePort(typed.port));
      if (typed.host !== undefined) process.env.HOST = typed.host;
      const environment = parseWebEnvironment(process.env);
      requiredDatabaseUrl(environment);
      await checkAddress(environment.HOST, environment.PORT);
      await serveWeb();
    });
}
