import type { ReactNode } from 'react';
import { Define } from '../ui/define.tsx';

type Props = { title: string; definition: string; children?: ReactNode };

/** The head of a chart's panel: what it shows, and beside that, as children, what can be done from here. */
export function PanelHead({ title, definition, children }: Props) {
  return (
    <div className="mb-2 flex flex-wrap items-baseline justify-between gap-2">
      <h2>
        <Define term={title} definition={definition} />
      </h2>
      <div className="flex flex-wrap items-center gap-3">{children}</div>
    </div>
  );
}
