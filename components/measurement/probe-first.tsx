'use client';

import { useRef, useState, useTransition } from 'react';
import { type FormState, showErrors } from '../ui/form.tsx';

/** What was wrong with the form, or a line for each measurement that was made of it, with the measurement's page. */
export type Probed = FormState & { lines: { text: string; href: string }[] };

type Props = {
  label: string;
  note: string;
  texts: { waiting: string; all: string };
  probe: (form: FormData) => Promise<Probed>;
};

/** A button inside a form that probes what the form says, and tells in place what came; the form stays. */
export function ProbeFirst({ label, note, texts, probe }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [probed, setProbed] = useState<Probed | null>(null);
  const [pending, start] = useTransition();
  const run = () => {
    const form = place.current?.closest('form');
    if (!form) return;
    start(async () => {
      const answer = await probe(new FormData(form));
      // What is typed meanwhile stays.
      showErrors(form, { ...answer, values: {} });
      setProbed(answer);
    });
  };
  return (
    <div ref={place} className="grid justify-items-start gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <button type="button" className="btn" disabled={pending} onClick={run}>
          {label}
        </button>
        <p className="text-muted">{note}</p>
      </div>
      <div role="status" className="grid gap-1">
        {pending ? <p>{texts.waiting}</p> : null}
        {pending || !probed?.problem ? null : <p className="text-bad">{probed.problem}</p>}
        {pending
          ? null
          : probed?.lines.map(({ text, href }) => (
              <p key={href}>
                {text}{' '}
                <a href={href} target="_blank" rel="noreferrer" className="link inline-block min-h-[24px]">
                  {texts.all}
                </a>
              </p>
            ))}
      </div>
    </div>
  );
}
