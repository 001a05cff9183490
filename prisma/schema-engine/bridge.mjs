// Stands in for Prisma's native schema engine, which closed networks cannot download. The command line and the
// line-delimited JSON-RPC are the native engine's; the work is done by Prisma's own WebAssembly build of it.
import { parseArguments } from './arguments.mjs';
import { canConnect, createDatabase, dropDatabase } from './database.mjs';
import { logError, logInfo } from './log.mjs';
import { serve } from './rpc.mjs';

// The CLI parses every line of standard error as JSON: Node's own warnings would break it.
process.removeAllListeners('warning');

const commands = {
  'can-connect-to-database': canConnect,
  'create-database': createDatabase,
  'drop-database': dropDatabase,
};

async function runCommand(name, url) {
  // The CLI drops the first line of standard error unread.
  logInfo(`Starting schema engine CLI: ${name}`);
  const command = commands[name];
  if (!command) throw new Error(`Unknown schema engine command: ${name}`);
  if (!url) throw new Error('The schema engine was given no datasource URL');
  await command(url);
}

const options = parseArguments(process.argv.slice(2));
try {
  if (options.command) await runCommand(options.command, options.url);
  else await serve(options);
} catch (error) {
  logError(error);
  process.exitCode = 1;
}
