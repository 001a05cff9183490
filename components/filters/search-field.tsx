'use client';

import { useEffect, useRef } from 'react';

type Props = { name: string; label: string; value: string };

/** A field to search with; `/` leads to it from anywhere but another field. */
export function SearchField({ name, label, value }: Props) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const lead = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]')) return;
      event.preventDefault();
      field.current?.select();
    };
    document.addEventListener('keydown', lead);
    return () => document.removeEventListener('keydown', lead);
  }, []);
  return (
    <input
      ref={field}
      type="search"
      name={name}
      aria-label={label}
      aria-keyshortcuts="/"
      placeholder={`${label}  /`}
      defaultValue={value}
      maxLength={200}
      className="field w-44 max-sm:w-full"
    />
  );
}
