'use client';

import { useRouter } from 'next/navigation';
import { type ReactNode, useEffect, useRef, useTransition } from 'react';

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

/** An open menu closes on Escape and on a press elsewhere, as menus do; `<details>` alone would stay open. */
function closeMenusOutside(form: { current: HTMLFormElement | null }): () => void {
  const close = (event: Event) => {
    if (event instanceof KeyboardEvent && event.key !== 'Escape') return;
    const own = form.current?.closest('details') ?? form.current?.querySelectorAll('details[open]') ?? [];
    for (const menu of own instanceof HTMLElement ? [own] : own) {
      if (event instanceof KeyboardEvent || !(event.target instanceof Node && menu.contains(event.target))) {
        menu.removeAttribute('open');
      }
    }
  };
  document.addEventListener('pointerdown', close);
  document.addEventListener('keydown', close);
  return () => {
    document.removeEventListener('pointerdown', close);
    document.removeEventListener('keydown', close);
  };
}
