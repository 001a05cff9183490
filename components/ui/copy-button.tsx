'use client';

import { useCopy } from './use-copy.ts';

/** Puts a text on the clipboard and says so. */
export function CopyButton({ text, label, done }: { text: string; label: string; done: string }) {
  const { copied, copy } = useCopy();
  return (
    <button type="button" className="btn" onClick={() => copy(text)}>
      <span aria-live="polite">{copied === text ? done : label}</span>
    </button>
  );
}
