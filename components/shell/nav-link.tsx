'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';

/** A link of the main navigation; it knows whether the reader is there. `also` are other paths below it. */
export function NavLink({ href, also, label }: { href: string; also?: string; label: string }) {
  const path = usePathname();
  const here = path === href || (href !== '/' && path.startsWith(`${href}/`)) || (also && path.startsWith(also));
  return (
    <Link
      href={href}
      prefetch={false}
      aria-current={here ? 'page' : undefined}
      className="rounded-md px-2.5 py-1 font-medium text-muted hover:text-ink aria-[current=page]:bg-raised aria-[current=page]:text-ink"
    >
      {label}
    </Link>
  );
}
