'use client';

import { useActionState } from 'react';
import { type FormAction, UNTOUCHED } from '../ui/form.tsx';

type Props = { action: FormAction; label: string; className: string };

/** A button that probes at once; the page with the answers opens. Says beside it why it did not. */
export function ProbeNow({ action, label, className }: Props) {
  const [{ problem }, run, pending] = useActionState(action, UNTOUCHED);
  return (
    <form action={run} className="inline print:hidden">
      <button type="submit" disabled={pending} className={className}>
        {label}
      </button>
      <span role="alert" className="ml-2 text-bad empty:ml-0">
        {problem}
      </span>
    </form>
  );
}
