import { getPool, limitDatabase } from '#server/database/database.ts';
import { type Environment, EnvironmentError, parseWebEnvironment } from '#server/environment/environment.ts';
import { prepareRequests } from '#server/http/arrival.ts';

/**
 * Called once, before the first request. A bad environment ends the process here, with a sentence, rather than at the
 * first request.
 */
export async function startWebProcess(): Promise<void> {
  // Next prints every uncaught error: of one that says that nobody reads what is printed, it would print for ever.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  let environment: Environment;
  try {
    environment = parseWebEnvironment(process.env);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
  limitDatabase('pages');
  // Its first connection stays, so that who looks for processes that use the database finds this one before its first request.
  getPool()
    .query('select')
    .catch(() => {});
  prepareRequests();
  // Loaded after the check: they log, and loading the log reads the environment.
  const [{ serveApi }, { answer }] = await Promise.all([import('#server/http/server.ts'), import('./api.ts')]);
  serveApi(answer);
  const [{ endWaits }, { endStreams }] = await Promise.all([
    import('#server/measurements/wake.ts'),
    import('#server/http/event-stream.ts'),
  ]);
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => {
      endStreams();
      endWaits();
    });
  if (environment.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return;
  const { startPush } = await import('#server/monitoring/push.ts');
  beforeStop(startPush(environment.OTEL_METRIC_EXPORT_INTERVAL).stop);
}

/** At a signal to stop, `work` comes first, and then what stops the process. */
function beforeStop(work: () => Promise<void>): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const others = process.listeners(signal);
    process.removeAllListeners(signal);
    process.on(signal, async () => {
      await work();
      for (const each of others) each(signal);
    });
  }
}
