'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';

type Props = {
  href: string;
  /** Other paths below it. */
  also?: string[];
  label: string;
  /** What waits there, and what that number is in words. */
  count?: { n: number; label: string };
};

/** A link of the main navigation; it knows whether the reader is there. */
export function NavLink({ href, also = [], label, count }: Props) {
  const path = usePathname();
  const below = (place: string) => path === place || path.startsWith(`${place}/`);
  const here = path === href || (href !== '/' && below(href)) || also.some(below);
  return (
    <Link
      href={href}
      prefetch={false}
      aria-current={here ? 'page' : undefined}
      className="whitespace-nowrap rounded-md px-1.5 py-1 font-medium text-muted hover:text-ink aria-[current=page]:bg-raised aria-[current=page]:text-ink sm:px-2.5"
    >
      {label}
      {count && count.n > 0 ? (
        <span className="badge badge-bad ml-1.5 tabular-nums" title={count.label}>
          <span aria-hidden="true">{count.n}</span>
          <span className="sr-only">{count.label}</span>
        </span>
      ) : null}
    </Link>
  );
}
