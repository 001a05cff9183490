import type { Imported } from '#cli/import/imported.ts';
import { TargetConfiguration } from '#contract/configuration.ts';

/** Targets as the server reads them, by their names. */
export const targetsOf = ({ taken }: Imported) =>
  new Map(taken.map(({ target }) => [target.name, TargetConfiguration.parse(target)]));
/** What was left out, by its name, with the reasons. */
export const leftOf = (imported: Imported) =>
  Object.fromEntries(imported.left.map(({ name, reasons }) => [name, reasons]));
/** What targets lack of what they were, by their names. */
export const withoutOf = (imported: Imported) =>
  Object.fromEntries(imported.taken.map(({ target, without }) => [target.name, without]));
