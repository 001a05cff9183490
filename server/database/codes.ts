import type { ProberState } from '#contract/result.ts';
import type { Variant } from '#contract/vocabulary.ts';

// Small numbers that stand in columns of `result`. They are stored: add new ones, never change one.

export const VARIANT_CODES: Record<Variant, number> = { main: 0, resumed: 1, rsa: 2, ecdsa: 3, redirect: 4, reuse: 5 };
export const STAMPER_CODES: Record<NonNullable<ProberState['stampedBy']>, number> = { watcher: 1, loop: 2 };

/** Says, in SQL, that a row of `result` is of a main handshake. */
export const IS_MAIN = '(variant is null or variant = 0)';
