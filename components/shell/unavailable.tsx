'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useTransition } from 'react';

/** How often the page is asked for again, ms. */
const RETRY_MS = 5_000;

type Props = { id: string | undefined; title: string; text: string };

/** In place of a page that the database keeps from being made. It is replaced by the page as soon as that can be made. */
export function Unavailable({ id, title, text }: Props) {
  const router = useRouter();
  const [isAsking, startTransition] = useTransition();
  useEffect(() => {
    if (isAsking) return;
    const timer = setInterval(() => {
      if (!document.hidden) startTransition(() => router.refresh());
    }, RETRY_MS);
    return () => clearInterval(timer);
  }, [isAsking, router]);
  return (
    <div role="alert" id={id} className="panel mx-auto mt-[8vh] max-w-lg p-6 text-center">
      <h1>{title}</h1>
      <p className="mt-2 text-muted">{text}</p>
      {/* Browsers without scripts come back, too. */}
      <noscript>
        <meta httpEquiv="refresh" content={String(RETRY_MS / 1_000)} />
      </noscript>
    </div>
  );
}
