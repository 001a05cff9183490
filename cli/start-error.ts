/**
 * Something outside this program keeps it from starting: a folder it may not write, a full disk, a second start.
 * The message is one or two sentences for the person at the terminal and says what to do; print it without a stack.
 */
export class StartError extends Error {
  override name = 'StartError';
}

/** The disk is full: trying again helps as soon as somebody has freed some room. */
export class DiskFullError extends StartError {}
