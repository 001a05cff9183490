'use client';

import { useRouter } from 'next/navigation';
import { type ComponentProps, type FocusEvent, type KeyboardEvent, type MouseEvent, useEffect, useRef } from 'react';

/**
 * A table whose cells are links to other pages (plain ones: as components of their own, hundreds take long to start), as one stop
 * of the Tab key: within it the arrows, Home and End go from link to link (as in the grid pattern of WAI-ARIA's practices; it stays
 * a table for screen readers). A row ends at its ends; up and down keep to the column.
 */
export function LinkGrid(props: Omit<ComponentProps<'table'>, 'ref' | 'onFocus' | 'onKeyDown' | 'onClick'>) {
  const router = useRouter();
  const table = useRef<HTMLTableElement>(null);
  const stop = useRef<HTMLAnchorElement>(null);
  const stopAt = (link: HTMLAnchorElement | undefined) => {
    if (!link) return;
    stop.current = link;
    for (const each of linksIn(table.current)) each.tabIndex = each === link ? 0 : -1;
  };
  // After every render: rows come and go while the page is open.
  useEffect(() => stopAt(linksIn(table.current).find((link) => link === stop.current) ?? linksIn(table.current)[0]));
  const onFocus = ({ target }: FocusEvent) => {
    if (target instanceof HTMLAnchorElement && target.closest('td')) stopAt(target);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = neighbour(event.target, event.key);
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  const onClick = (event: MouseEvent) => {
    const href = event.target instanceof Element && event.target.closest('td a[href]')?.getAttribute('href');
    // What asks for another tab or window is the browser's own.
    if (!href || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    router.push(href);
  };
  return <table {...props} ref={table} onFocus={onFocus} onKeyDown={onKeyDown} onClick={onClick} />;
}

const linksIn = (part: Element | null | undefined) => [
  ...(part?.querySelectorAll<HTMLAnchorElement>('td a[href]') ?? []),
];

function neighbour(link: HTMLAnchorElement, key: string): HTMLAnchorElement | undefined {
  const cell = link.closest('td');
  const row = cell?.closest('tr');
  if (!cell || !row) return undefined;
  const inRow = linksIn(row);
  const at = inRow.indexOf(link);
  const inColumn = (beside: Element | null) =>
    beside instanceof HTMLTableRowElement
      ? (beside.cells[cell.cellIndex]?.querySelector<HTMLAnchorElement>('a[href]') ?? undefined)
      : undefined;
  switch (key) {
    case 'ArrowLeft':
      return inRow[at - 1];
    case 'ArrowRight':
      return inRow[at + 1];
    case 'ArrowUp':
      return inColumn(row.previousElementSibling);
    case 'ArrowDown':
      return inColumn(row.nextElementSibling);
    case 'Home':
      return inRow[0];
    case 'End':
      return inRow.at(-1);
    default:
      return undefined;
  }
}
