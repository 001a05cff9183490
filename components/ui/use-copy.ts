'use client';

import { useEffect, useState } from 'react';

/** How long a button says that it has copied, ms. */
const SAID_MS = 2_000;

/** Puts a text on the clipboard, and says for a while which it was. */
export function useCopy(): { copied: string | null; copy(text: string): Promise<void> } {
  const [copied, setCopied] = useState<string | null>(null);
  useEffect(() => {
    if (copied === null) return;
    const timer = setTimeout(() => setCopied(null), SAID_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return {
    copied,
    async copy(text) {
      // A browser lets only pages that came over TLS, or from its own machine, write to the clipboard by themselves.
      if (navigator.clipboard) await navigator.clipboard.writeText(text);
      else copyBySelection(text);
      setCopied(text);
    },
  };
}

function copyBySelection(text: string): void {
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  const focused = document.activeElement;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
}
