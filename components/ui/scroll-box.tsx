import type { ReactNode } from 'react';

/** A wide table's box: it scrolls by itself, so that the page never does, and the keyboard can reach it. */
export function ScrollBox({
  label,
  className = '',
  children,
}: {
  label: string;
  className?: string | undefined;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard
    <section className={`relative overflow-x-auto ${className}`} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
