const unreachable = new Set(['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOENT']);

/** An error with one of Prisma's codes: `P1003` makes the CLI create the database, the others are shown to the user. */
export class EngineError extends Error {
  constructor(code, message, cause) {
    super(message, { cause });
    this.code = code;
  }
}

/** Translates what `pg` throws; an error it knows no code for comes back as it was. */
export function describeConnectionError(error, { host, port, database, user }) {
  if (unreachable.has(error.code) || /timeout/i.test(error.message)) {
    return new EngineError('P1001', `Can't reach database server at \`${host}:${port}\``, error);
  }
  if (error.code === '3D000') {
    return new EngineError('P1003', `Database \`${database}\` does not exist on ${host}:${port}`, error);
  }
  if (error.code === '42P04') return new EngineError('P1009', `Database \`${database}\` already exists`, error);
  if (error.code === '28P01') {
    return new EngineError('P1000', `Authentication failed for user \`${user}\` at \`${host}\``, error);
  }
  if (error.code === '28000' || error.code === '42501') return new EngineError('P1010', error.message, error);
  return error;
}
