import { limitDatabase } from '#server/database/database.ts';
import { EnvironmentError, parseWebEnvironment } from '#server/environment/environment.ts';
import { prepareRequests } from './arrival.ts';
import { serveDirectRoutes } from './direct.ts';

/**
 * Called once, before the first request. A bad environment ends the process here, with a sentence, rather than at the
 * first request.
 */
export function startWebProcess(): void {
  try {
    parseWebEnvironment(process.env);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
  limitDatabase('pages');
  prepareRequests();
  serveDirectRoutes();
}
