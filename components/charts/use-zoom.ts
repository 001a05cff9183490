import { useRouter } from 'next/navigation';
import { useMemo } from 'react';
import type { SelectRange } from './brush.ts';
import { zoomHref } from './zoom-href.ts';

/** Opens the page with a selected range; null without the address to begin with, where nothing can be selected. */
export function useZoom(base: string | undefined): SelectRange | null {
  const router = useRouter();
  return useMemo(
    () => (base === undefined ? null : (from, to) => router.push(zoomHref(base, from, to), { scroll: false })),
    [base, router],
  );
}
