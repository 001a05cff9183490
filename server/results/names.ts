import type { VantageLabels } from '#server/vantages/labels.ts';
import type { KnownCertificate } from './certificates.ts';

/** What a row names by id. */
export type Names = {
  strings: ReadonlyMap<number, string>;
  certificates: ReadonlyMap<number, KnownCertificate>;
  vantages: ReadonlyMap<string, VantageLabels>;
};

/** The string of an id. */
export function name(strings: Names['strings'], id: number | null): string | null {
  return id === null ? null : (strings.get(id) ?? null);
}

/** Microseconds as milliseconds. */
export function ms(micros: number | null): number | null {
  return micros === null ? null : micros / 1_000;
}
