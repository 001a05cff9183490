import Link from 'next/link';

type Props = { label: string; kinds: { href: string; title: string; text: string; chosen: boolean }[] };

/** A choice that decides which fields follow: links, so that it needs no script. */
export function KindLinks({ label, kinds }: Props) {
  return (
    <nav aria-label={label} className="mb-3 grid grid-cols-2 gap-2 sm:grid-cols-3">
      {kinds.map(({ href, title, text, chosen }) => (
        <Link
          key={href}
          href={href}
          prefetch={false}
          scroll={false}
          aria-current={chosen ? 'true' : undefined}
          className="panel px-3 py-2 hover:bg-raised aria-[current=true]:border-accent aria-[current=true]:bg-accent-soft"
        >
          <span className="block font-semibold">{title}</span>
          <span className="block text-[0.86rem] text-muted">{text}</span>
        </Link>
      ))}
    </nav>
  );
}
