import Link from 'next/link';

type Props = { label: string; here: string; tabs: { href: string; label: string }[] };

/** The lists that one entry of the main navigation leads to. `here` is the address of the present one. */
export function SectionTabs({ label, here, tabs }: Props) {
  return (
    <nav aria-label={label} className="segments">
      {tabs.map((tab) => (
        <Link key={tab.href} href={tab.href} prefetch={false} aria-current={tab.href === here ? 'page' : undefined}>
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}
