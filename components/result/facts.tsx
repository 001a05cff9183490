import type { ReactNode } from 'react';
import { Define } from '../ui/define.tsx';

export type Fact = { term: string; definition?: string; value: ReactNode };

/** A titled list of facts; what is not known is left out, and `empty` stands where nothing is. */
export function Facts({ title, facts, empty }: { title: string; facts: (Fact | null)[]; empty?: string }) {
  const known = facts.filter((fact) => fact !== null && fact.value !== null && fact.value !== undefined);
  return (
    <section className="panel min-w-0 p-4">
      <h2>{title}</h2>
      {known.length === 0 ? <p className="mt-2 text-muted">{empty}</p> : null}
      <dl className="mt-2 grid grid-cols-[minmax(6.5rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-1">
        {known.map((fact) =>
          fact ? (
            <div key={fact.term} className="contents">
              <dt className="text-muted">
                {fact.definition ? <Define term={fact.term} definition={fact.definition} /> : fact.term}
              </dt>
              <dd className="min-w-0 break-words tabular-nums">{fact.value}</dd>
            </div>
          ) : null,
        )}
      </dl>
    </section>
  );
}
