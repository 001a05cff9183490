import { useRouter } from 'next/navigation';
import { useMemo } from 'react';
import type { MapInput, MapRegion } from './region-marks.ts';

/** A map's input: its regions, and how their pages are opened. */
export function useMapInput(regions: MapRegion[]): MapInput {
  const router = useRouter();
  return useMemo(() => ({ regions, open: (href) => router.push(href) }), [regions, router]);
}
