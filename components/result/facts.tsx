import type { ReactNode } from 'react';
import { Define } from '../ui/define.tsx';

export type Fact = { term: string; definition?: string; value: ReactNode };

type Props = { title: string; facts: (Fact | null)[]; empty?: string; children?: ReactNode };

/** A titled list of facts; what is not known is left out, and `empty` stands where nothing is. What is rarer follows. */
export function Facts({ title, facts, empty, children }: Props) {
  const known = facts.filter(isKnown);
  return (
    <section className="panel min-w-0 p-4">
      <h2>{title}</h2>
      {known.length === 0 ? <p className="mt-2 text-muted">{empty}</p> : <FactList facts={known} />}
      {children}
    </section>
  );
}

/** The facts alone. */
export function FactList({ facts }: { facts: (Fact | null)[] }) {
  return (
    <dl className="mt-2 grid grid-cols-[minmax(6.5rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-1">
      {facts.filter(isKnown).map((fact) => (
        <div key={fact.term} className="contents">
          <dt className="text-muted">
            {fact.definition ? <Define term={fact.term} definition={fact.definition} /> : fact.term}
          </dt>
          <dd className="min-w-0 break-words tabular-nums">{fact.value}</dd>
        </div>
      ))}
    </dl>
  );
}

const isKnown = (fact: Fact | null): fact is Fact => fact !== null && fact.value !== null && fact.value !== undefined;

/** What few readers want: behind a click. */
export function More({ summary, children }: { summary: ReactNode; children: ReactNode }) {
  return (
    <details className="group mt-3 border-line border-t pt-2">
      <summary className="cursor-pointer font-medium">
        <span aria-hidden="true" className="mr-1.5 inline-block group-open:rotate-90">
          ▸
        </span>
        {summary}
      </summary>
      {children}
    </details>
  );
}
