import { readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Reads the native engine's arguments. Unknown flags and their values are passed over: none of them changes what the
 * WebAssembly engine does.
 */
export function parseArguments(args) {
  const options = { command: null, url: null, shadowUrl: null, datamodels: [] };
  for (let i = 0; i < args.length; i++) {
    if (args[i] === 'cli') options.command = args[++i] ?? '';
    else if (args[i] === '--datasource') Object.assign(options, readDatasource(args[++i]));
    else if (args[i] === '--datamodels') options.datamodels.push(readDatamodel(args[++i]));
  }
  return options;
}

function readDatasource(json) {
  const { url, shadowDatabaseUrl } = JSON.parse(json);
  return { url: url || null, shadowUrl: shadowDatabaseUrl || null };
}

function readDatamodel(file) {
  const absolute = path.resolve(file);
  return [absolute, readFileSync(absolute, 'utf8')];
}
