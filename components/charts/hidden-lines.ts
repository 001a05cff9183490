import { useSyncExternalStore } from 'react';
import { panelChart } from './panel-chart.ts';

// Which lines of which panel are hidden, as long as it has the same lines: the table of a panel and its chart share it.

const hidden = new Map<string, ReadonlySet<string>>();
const listeners = new Set<() => void>();

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Names of the lines of a panel that are hidden; undefined until one is pressed, while it shows all that are not `off`. */
export const useHiddenLines = (panel: string): ReadonlySet<string> | undefined =>
  useSyncExternalStore(
    subscribe,
    () => hidden.get(panel),
    () => undefined,
  );

/** Shows all lines of a panel that are not `off`: it has other ones now. */
export function forgetHidden(panel: string): void {
  if (hidden.delete(panel)) for (const listener of listeners) listener();
}

/** Shows a line alone, or all again where it is alone; `toggle` hides or shows this one and leaves the others. */
export function pressLine(panel: string, name: string, toggle: boolean): void {
  const lines = panelChart(panel)?.data.datasets ?? [];
  const names = lines.map(({ label = '' }) => label);
  const before = hidden.get(panel) ?? new Set(names.filter((_name, index) => lines[index]?.hidden));
  hidden.set(panel, hiddenAfter(before, { names, name, toggle }));
  for (const listener of listeners) listener();
}

type Press = { names: string[]; name: string; toggle: boolean };

/** The hidden lines of all `names` after a press on one. */
export function hiddenAfter(before: ReadonlySet<string>, { names, name, toggle }: Press): ReadonlySet<string> {
  if (toggle) return new Set([...names, name].filter((each) => before.has(each) !== (each === name)));
  const others = names.filter((each) => each !== name);
  return !before.has(name) && others.every((each) => before.has(each)) ? new Set() : new Set(others);
}
