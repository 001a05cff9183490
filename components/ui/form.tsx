'use client';

import { type ReactNode, useActionState, useEffect, useRef } from 'react';

/** What a form's action answers: what is wrong with it, in general and by field, and what had been typed; or what it did. */
export type FormState = {
  problem: string | null;
  errors: Record<string, string>;
  values: Record<string, string[]>;
  done?: string;
};
export type FormAction<State extends FormState> = (before: State, form: FormData) => Promise<State>;
export const UNTOUCHED: FormState = { problem: null, errors: {}, values: {} };

type FieldsProps = {
  submit: string;
  /** Further buttons of the form, which its action tells by their names. Enter presses the first. */
  others?: readonly { name: string; label: string }[];
  /** The fields, as the server made them; only their errors change here. */
  children: ReactNode;
};

/** A form that keeps what was typed when the server refuses it, and shows each error beside its field. */
export function ActionForm({ action, ...rest }: FieldsProps & { action: FormAction<FormState> }) {
  const [state, run, pending] = useActionState(action, UNTOUCHED);
  return <StateForm {...rest} state={state} run={run} pending={pending} />;
}

type StateProps = FieldsProps & { state: FormState; run: (form: FormData) => void; pending: boolean };

/** The form itself. An error is written into the element with the id `<field>-error`. */
export function StateForm({ state, run, pending, submit, others = [], children }: StateProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (form.current) showErrors(form.current, state);
  }, [state]);
  return (
    <form ref={form} action={run} noValidate>
      {children}
      <p role="alert" className="mt-3 text-bad">
        {state.problem}
      </p>
      <p role="status" className="text-good">
        {state.done}
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <button type="submit" disabled={pending} className="btn btn-primary">
          {submit}
        </button>
        {others.map(({ name, label }) => (
          <button key={name} type="submit" name={name} value="on" disabled={pending} className="btn">
            {label}
          </button>
        ))}
      </div>
    </form>
  );
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Writes the errors, opens whatever hides a bad field, and gives the first of them the focus. */
export function showErrors(form: HTMLFormElement, { errors, values }: FormState): void {
  for (const field of form.querySelectorAll<Field>('input[name], select[name], textarea[name]')) {
    restore(field, values);
    field.setAttribute('aria-invalid', String(field.name in errors));
  }
  for (const slot of form.querySelectorAll('[id$="-error"]')) {
    slot.textContent = errors[slot.id.replace(/-error$/, '')] ?? '';
  }
  const bad = form.querySelectorAll<Field>('[aria-invalid="true"]');
  for (const field of bad) field.closest('details')?.setAttribute('open', '');
  bad[0]?.focus();
}

/** React empties a form after its action: the values that were sent are put back. */
function restore(field: Field, values: Record<string, string[]>): void {
  if (Object.keys(values).length === 0) return;
  const sent = values[field.name] ?? [];
  if (field instanceof HTMLInputElement && field.type === 'checkbox') field.checked = sent.includes(field.value);
  else if (field.type !== 'hidden') field.value = sent[0] ?? '';
}
