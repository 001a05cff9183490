import { EnvironmentError, parseWebEnvironment } from './environment.ts';

/** Checks the web process's environment. A bad one ends it here, with a sentence, rather than at the first request. */
export function startWebProcess(): void {
  try {
    parseWebEnvironment(process.env);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
}
