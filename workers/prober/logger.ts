import { pino } from 'pino';

/** What the prober needs of a logger; pino's fits. */
export type Logger = {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
};

/** Lines that are kept, in bytes, while they cannot be written; those beyond are lost. */
const UNWRITTEN_BYTES = 1024 * 1024;

/** The log of a whole process, on standard error: a full disk under it must not end who measures. */
export function processLogger(level: string): Logger {
  const output = pino.destination({ dest: 2, sync: true, maxLength: UNWRITTEN_BYTES });
  output.on('error', () => {});
  return pino({ level, base: undefined }, output);
}
