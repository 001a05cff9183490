'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

/** Renders the page anew every `seconds` while it is visible; a hidden page has no timer. */
export function LiveRefresh({ seconds }: { seconds: number }) {
  const router = useRouter();
  useEffect(() => {
    let timer: ReturnType<typeof setInterval> | undefined;
    const start = () => {
      clearInterval(timer);
      timer = document.hidden ? undefined : setInterval(() => router.refresh(), seconds * 1_000);
    };
    const onVisibility = () => {
      if (!document.hidden) router.refresh();
      start();
    };
    start();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', onVisibility);
    };
  }, [router, seconds]);
  return null;
}
