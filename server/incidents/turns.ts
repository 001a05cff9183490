/**
 * Whose turn it is where more is due than one turn takes: when each was tried last, whatever came of it, so that those of which nothing can
 * be said keep no other from its turn. Of this process alone: after a start all wait alike.
 */
export class Turns {
  #tried: ReadonlyMap<string, number> = new Map();

  /** When it was tried last, seconds since 1970; undefined where it was not. */
  lastOf(id: string): number | undefined {
    return this.#tried.get(id);
  }

  /** Keeps when these were tried, and forgets what is not among `all` any more. */
  note(all: readonly { id: string }[], tried: ReadonlyMap<string, number>): void {
    this.#tried = new Map(
      all.flatMap(({ id }) => {
        const last = tried.get(id) ?? this.#tried.get(id);
        return last === undefined ? [] : [[id, last] as const];
      }),
    );
  }
}
