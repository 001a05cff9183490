import type { StartOptions } from './options.ts';
import type { Running } from './running.ts';
import type { Terminal } from './terminal.ts';

/** What every step of the start works with. `folder` is the data folder's absolute path. */
export type Start = { options: StartOptions; folder: string; terminal: Terminal; running: Running };
