/** One line of the native engine's log: the CLI reads `level`, `target`, `fields.message` and `fields.error_code`. */
function write(level, fields) {
  const line = { timestamp: new Date().toISOString(), level, fields, target: 'schema_engine::logger' };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}

export function logInfo(message) {
  write('INFO', { message });
}

export function logError(error) {
  write('ERROR', { message: error.message, error_code: error.code ?? '', is_panic: false });
}
