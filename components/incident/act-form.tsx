'use client';

import { type ReactNode, useActionState, useEffect, useRef } from 'react';
import { useFormStatus } from 'react-dom';
import { type FormAction, showErrors, UNTOUCHED } from '../ui/form.tsx';

/** What a person may say of an incident, with a note for the others: all of it in one form. */
export function ActForm({ action, children }: { action: FormAction; children: ReactNode }) {
  const [state, run] = useActionState(action, UNTOUCHED);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (form.current) showErrors(form.current, state);
  }, [state]);
  return (
    <form ref={form} action={run} className="flex flex-wrap items-center gap-2">
      {children}
      <p role="alert" className="w-full text-bad empty:hidden">
        {state.problem}
      </p>
    </form>
  );
}

/** A button of that form, which its action tells by `value`; while it runs no other can be pressed. */
export function ActButton({ value, className, children }: { value: string; className: string; children: ReactNode }) {
  const { pending } = useFormStatus();
  return (
    <button type="submit" name="action" value={value} disabled={pending} className={className}>
      {children}
    </button>
  );
}
