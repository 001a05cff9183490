import { createInterface } from 'node:readline';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import { adapterFactory } from './adapter.mjs';
import { createDatabase, withClient } from './database.mjs';
import { describeFailure } from './failure.mjs';
import { logInfo } from './log.mjs';
import { isOffline, offlineFactory } from './offline.mjs';
import { lastPanic, loadSchemaEngine } from './wasm.mjs';

let current = null;

// A panic of the engine arrives as an uncaught error and leaves its promise pending. Unanswered, the CLI would end with
// status 0, as if the command had succeeded.
process.on('uncaughtException', (error) => {
  const message = lastPanic() ?? error.stack ?? error.message;
  const line = { id: current, error: describeFailure(new Error(`The schema engine failed: ${message}`), null) };
  send(line, () => process.exit(1));
});

/** Answers the CLI's requests, one a line and one at a time, until it closes standard input. */
export async function serve(options) {
  const factory = bindMigrationAwareSqlAdapterFactory(adapterFactory(options.url, options.shadowUrl));
  const offline = bindMigrationAwareSqlAdapterFactory(offlineFactory);
  let online;
  const engine = (isOffline) => {
    if (isOffline) return startEngine(options.datamodels, offline);
    online ??= startEngine(options.datamodels, factory);
    return online;
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    // A line without a method is the CLI's receipt for a `print`.
    if (!request.method) continue;
    current = request.id;
    await answer(request, engine, factory.errorRegistry);
  }
  // The engine's pool keeps the process alive otherwise.
  process.exit();
}

async function answer(request, engine, errors) {
  try {
    send({ id: request.id, result: (await call(request, engine)) ?? null });
  } catch (error) {
    send({ id: request.id, error: describeFailure(error, errors) });
  }
}

async function call({ method, params }, engine) {
  switch (method) {
    case 'createDatabase':
      return { databaseName: await createDatabase(params.datasource.url) };
    case 'dbExecute':
      await withClient(params.datasourceType.url, (client) => client.query(params.script));
      return null;
    case 'getDatabaseVersion':
      return (await engine()).version(params ?? null);
    case 'diff':
      return printDiff(await (await engine(isOffline(params))).diff(params));
    default:
      return callEngine(await engine(), method, params);
  }
}

function callEngine(engine, method, params) {
  if (typeof engine[method] !== 'function') throw new Error(`The WebAssembly schema engine has no ${method}`);
  return engine[method](params);
}

/** The native engine prints the diff through the CLI rather than returning it; `--output` relies on that. */
function printDiff({ exitCode, stdout }) {
  if (stdout !== null && stdout !== undefined) send({ id: 0, method: 'print', params: { content: stdout } });
  return { exitCode, stdout: null };
}

async function startEngine(datamodels, factory) {
  const SchemaEngine = await loadSchemaEngine();
  // It panics on an empty list.
  const options = { datamodels: datamodels.length > 0 ? datamodels : undefined };
  return SchemaEngine.new(options, (message) => logInfo(String(message)), factory);
}

function send(message, sent) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`, sent);
}
