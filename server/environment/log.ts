import { pino } from 'pino';
import { parseEnvironment } from './environment.ts';

/** Lines that are kept, in bytes, while they cannot be written; those beyond are lost. */
const UNWRITTEN_BYTES = 1024 * 1024;

/**
 * Where it goes. A full disk under the log must not fail what is told of it: of its own accord pino throws such an error at
 * the process, and tries for ever to write the rest when that ends.
 */
const output = pino.destination({ dest: 1, sync: true, maxLength: UNWRITTEN_BYTES });
output.on('error', () => {});

/** This process's log: JSON lines on standard output. Nothing secret goes in: no header, no body, no token. */
export const log = pino(
  // Parsed by itself: an import of this does not settle the whole environment of the process.
  { level: parseEnvironment(process.env).LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime },
  output,
);
