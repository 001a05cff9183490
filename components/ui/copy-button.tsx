'use client';

import { useState } from 'react';

/** Puts a text on the clipboard and says so. */
export function CopyButton({ text, label, done }: { text: string; label: string; done: string }) {
  const [copied, setCopied] = useState<string | null>(null);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(text);
  };
  return (
    <button type="button" className="btn" onClick={copy}>
      <span aria-live="polite">{copied === text ? done : label}</span>
    </button>
  );
}
