/** One of the values that a person may choose. */
export type Option = { value: string; label: string };

/** The values of a list as options, after the one of no value (`any`) where a choice may be left open. */
export function optionsOf<Value extends string>(
  values: readonly Value[],
  labelOf: (value: Value) => string,
  any?: string,
): Option[] {
  const options: Option[] = values.map((value) => ({ value, label: labelOf(value) }));
  return any === undefined ? options : [{ value: '', label: any }, ...options];
}
