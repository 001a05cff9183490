import { libc } from '#probe/kernel/libc.ts';

/**
 * Ends the process once all that was printed is out. A look-up of the machine's own library cannot be cancelled, and Node
 * would wait for its thread also in `process.exit`, for 20 s or more where a resolver is silent.
 */
export async function endProcess(status: number): Promise<never> {
  await Promise.all([process.stdout, process.stderr].map(written));
  libc()?.exit(status);
  process.exit(status);
}

/** Resolves when what was written is handed over, or there is no reader left. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((settle) => {
    if (stream.destroyed || stream.closed) return settle();
    stream.once('close', settle);
    stream.write('', () => settle());
  });
}
