// Loads the demo's past, in a process of its own: it needs a processor for a while, which the web and the probers get
// first. `roundtrip start` starts it and hears `{done: true, said}` at the end.
import { setPriority } from 'node:os';
import { closeDatabase } from '#server/database/database.ts';
import { log } from '#server/environment/log.ts';
import { loadPast } from './load-past.ts';

/** Behind the web and the probers, yet not so far that other work of the machine keeps the past away for minutes. */
const NICE = 5;

setPriority(NICE);
process.once('SIGTERM', () => process.exit(0));
const steps: string[] = [];
await loadPast((said) => {
  log.info({ job: 'demo-past' }, said);
  steps.push(said);
});
await closeDatabase();
process.send?.({ done: true, said: steps.join('; ') || 'nothing to do' });
// The parent says when this process may end: an earlier end would look like a fault.
process.channel?.ref();
