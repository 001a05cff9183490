import { pino } from 'pino';
import { environment } from './environment.ts';

/** This process's log: JSON lines on standard output. Nothing secret goes in: no header, no body, no token. */
export const log = pino({ level: environment().LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime });
