import { type ReactNode, useId } from 'react';

/** A term with its definition one hover, tap or Tab away. `end` opens it towards the left, for terms at the right edge. */
export function Define({ term, definition, end = false }: { term: ReactNode; definition: string; end?: boolean }) {
  const id = useId();
  return (
    <span className={end ? 'def def-end' : 'def'}>
      <button type="button" aria-describedby={id}>
        {term}
      </button>
      <span role="tooltip" id={id}>
        {definition}
      </span>
    </span>
  );
}
