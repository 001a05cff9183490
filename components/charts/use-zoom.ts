import { useRouter } from 'next/navigation';
import { useMemo } from 'react';
import type { Zoom } from './brush.ts';
import { zoomHref } from './zoom-href.ts';

/** What a tab keeps of its zooms, by the path of the page: the query that the last one led to, and the one before the first. */
const KEY = 'roundtrip-zoom ';
type Kept = { zoomed: string; before: string };

/** The range before the first of the zooms that led here; null where none did. */
function beforeZoom(path: string, query: string): string | null {
  const kept: Kept | null = JSON.parse(sessionStorage.getItem(KEY + path) ?? 'null');
  return kept?.zoomed === query ? kept.before : null;
}

/**
 * Opens the page with a selected range, and leads back to the one before all that was selected, or where there was none to that of the page
 * itself; null without the address to begin with, where nothing can be selected.
 */
export function useZoom(base: string | undefined): Zoom | null {
  const router = useRouter();
  return useMemo(() => {
    if (base === undefined) return null;
    const go = (href: string) => router.push(href, { scroll: false });
    return {
      select(from, to) {
        const { pathname, search } = location;
        const href = zoomHref(base, from, to);
        const kept: Kept = {
          zoomed: new URL(href, location.href).search,
          before: beforeZoom(pathname, search) ?? search,
        };
        sessionStorage.setItem(KEY + pathname, JSON.stringify(kept));
        go(href);
      },
      reset() {
        const { pathname, search } = location;
        const query = new URLSearchParams(search);
        for (const name of ['from', 'to', 'range']) query.delete(name);
        const before = beforeZoom(pathname, search);
        if (before !== search) go(`${pathname}${before ?? `?${query}`}`);
      },
    };
  }, [base, router]);
}
