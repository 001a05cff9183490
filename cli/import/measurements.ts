import { ImportedMeasurement } from '#contract/import.ts';

// What the readers of other monitors' files give: measurements as the API takes them, and what could not be read, with its place and why.

export type ReadFile = {
  measurements: ImportedMeasurement[];
  /** Where in the file each of them stands. */
  places: string[];
  left: { place: string; reason: string }[];
  /** What was measured, hosts without a port, where the format says it. */
  hosts: Set<string>;
  /** Sentences on how the file was read. */
  notes: string[];
};

/** Collects what a file holds. */
export class Reading {
  readonly #read: ReadFile = { measurements: [], places: [], left: [], hosts: new Set(), notes: [] };

  /** A measurement, or why there is none; `place` is where it stands in the file. */
  add(place: string, found: Record<string, unknown> | string): void {
    if (typeof found === 'string') this.leave(place, found);
    else {
      const { data, error } = ImportedMeasurement.safeParse(found);
      if (data) {
        this.#read.measurements.push(data);
        this.#read.places.push(place);
      } else this.leave(place, error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '));
    }
  }

  leave(place: string, reason: string): void {
    this.#read.left.push({ place, reason });
  }

  /** What was measured: a host name or an address. */
  host(name: string): void {
    this.#read.hosts.add(name);
  }

  end(): ReadFile {
    return this.#read;
  }
}

/** A duration of a file, ms; null for what is not there. */
export const msOrNull = (value: unknown): number | null => (typeof value === 'number' && value >= 0 ? value : null);

/** Most letters of a reason. */
const MOST_REASON = 1_000;

/** A reason as the API takes it: the beginning of a longer one, without half a letter; null for none. */
export const reasonOf = (text: string | null | undefined): string | null =>
  (text ?? '').slice(0, MOST_REASON).replace(/[\uD800-\uDBFF]$/, '') || null;
