'use client';

import { useRouter } from 'next/navigation';
import { type ReactNode, useEffect, useRef, useTransition } from 'react';
import { closeMenusOutside } from '../ui/close-menus.ts';

/** A GET form that applies a chosen option at once; other fields wait for a button. Without scripts all of them do. */
export function AutoSubmit({ path, label, children }: { path: string; label: string; children: ReactNode }) {
  const router = useRouter();
  const [pending, startTransition] = useTransition();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => closeMenusOutside(form), []);
  const apply = (form: HTMLFormElement) => {
    const query = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (typeof value === 'string' && value) query.append(name, value);
    startTransition(() => router.push(`${path}?${query}`, { scroll: false }));
  };
  return (
    <form
      ref={form}
      method="get"
      action={path}
      aria-label={label}
      aria-busy={pending}
      className="flex flex-wrap items-end gap-2 aria-busy:opacity-70"
      onChange={(event) => {
        if (event.target instanceof HTMLSelectElement) apply(event.currentTarget);
      }}
      onSubmit={(event) => {
        event.preventDefault();
        apply(event.currentTarget);
      }}
    >
      {children}
    </form>
  );
}
