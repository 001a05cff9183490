import Link from 'next/link';

/** One of some views of a page. `title` says what it is where its text is short. */
export type Choice = { key: string; href: string; text: string; title?: string; current: boolean };

/** `of`: the title of the panel, where others of the page have the same choice. */
type Props = { label: string; of?: string; shown?: boolean; choices: readonly Choice[] };

/** Views of a page of which one is chosen, as links in a row. `shown`: their label is to be seen, not only heard. */
export function ChoiceLinks({ label, of, shown = false, choices }: Props) {
  return (
    <nav
      aria-label={of === undefined ? label : `${label}: ${of}`}
      className="flex items-center gap-2 text-[0.9rem] text-muted"
    >
      {shown ? <span>{label}</span> : null}
      <span className="segments flex-wrap">
        {choices.map(({ key, href, text, title, current }) => (
          <Link
            key={key}
            href={href}
            prefetch={false}
            scroll={false}
            title={title}
            aria-current={current ? 'true' : undefined}
          >
            {text}
          </Link>
        ))}
      </span>
    </nav>
  );
}
