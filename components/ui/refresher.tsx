'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { noteFigures, whenServing } from './connection.ts';

/** `at`: when the server made what is shown, ms since 1970. A hidden page has no timer. */
export function Refresher({ seconds, at }: { seconds: number; at: number }) {
  const router = useRouter();
  useEffect(() => {
    noteFigures(at);
    return () => noteFigures(null);
  }, [at]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stopped = false;
    const refresh = async () => {
      clearTimeout(timer);
      await whenServing();
      if (stopped || document.hidden) return;
      router.refresh();
      wait();
    };
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(refresh, seconds * 1_000);
    };
    const onVisibility = () => {
      if (document.hidden) clearTimeout(timer);
      else void refresh();
    };
    if (!document.hidden) wait();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisibility);
    };
  }, [router, seconds]);
  return null;
}
