let inFlight = 0;

/** Probes that this thread has begun and not ended. */
export function probesInFlight(): number {
  return inFlight;
}

/** Counts a probe for as long as it runs. */
export async function countedInFlight<T>(probe: () => Promise<T>): Promise<T> {
  inFlight += 1;
  try {
    return await probe();
  } finally {
    inFlight -= 1;
  }
}
