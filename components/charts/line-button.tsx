'use client';

import type { ReactNode } from 'react';
import { pressLine, useHiddenLines } from './hidden-lines.ts';

type Props = { panel: string; name: string; off: boolean; hint: string; children: ReactNode };

/** The name of a line in its panel's table: a press shows it alone, or all again; with Ctrl, Shift or Command it is hidden or shown. */
export function LineButton({ panel, name, off, hint, children }: Props) {
  const isShown = !(useHiddenLines(panel)?.has(name) ?? off);
  return (
    <button
      type="button"
      aria-pressed={isShown}
      title={hint}
      className={`flex items-center gap-2 text-left ${isShown ? '' : 'text-muted line-through'}`}
      onClick={(event) => pressLine(panel, name, event.ctrlKey || event.metaKey || event.shiftKey)}
    >
      {children}
      {name}
    </button>
  );
}
