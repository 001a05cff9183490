import type { ReactNode } from 'react';

/** `page`: it is the whole page, so its title is the page's. */
type Props = { title: string; text: string; children?: ReactNode; page?: boolean };

/** What stands where there is nothing to show: why, and what to do about it. */
export function Empty({ title, text, children, page = false }: Props) {
  const Heading = page ? 'h1' : 'h2';
  return (
    <div className="panel flex flex-col items-center gap-3 px-6 py-12 text-center">
      <Heading>{title}</Heading>
      <p className="max-w-prose text-muted">{text}</p>
      {children}
    </div>
  );
}
