'use client';

import { type FormEvent, useState } from 'react';

const ORDER = ['system', 'light', 'dark'] as const;
type Theme = (typeof ORDER)[number];
const SIGNS: Record<Theme, string> = { system: '◐', light: '☀', dark: '☾' };

type Props = { theme: Theme; label: string; names: Record<Theme, string> };

/** Goes from system to light to dark. Without scripts the form does the same by a round trip to the server. */
export function ThemeToggle({ theme, label, names }: Props) {
  const [current, setCurrent] = useState<Theme>(theme);
  const next = ORDER[(ORDER.indexOf(current) + 1) % ORDER.length] ?? 'system';
  const change = (event: FormEvent) => {
    event.preventDefault();
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
    document.cookie = `theme=${next}; path=/; max-age=31536000; samesite=lax`;
    document.documentElement.dataset.theme = next;
    setCurrent(next);
  };
  return (
    <form action="/preferences" onSubmit={change}>
      <input type="hidden" name="theme" value={next} />
      <button type="submit" className="btn px-2" title={`${label}: ${names[current]}`}>
        <span aria-hidden="true">{SIGNS[current]}</span>
        <span className="sr-only">{`${label}: ${names[current]}`}</span>
      </button>
    </form>
  );
}
