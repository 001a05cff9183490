'use client';

import Link from 'next/link';
import { type ReactNode, useActionState, useEffect, useRef } from 'react';
import { CopyButton } from './copy-button.tsx';

/** What an action made, such as a secret that is shown this once, to be copied; every text is ready to be shown. */
export type Shown = {
  title: string;
  text: string;
  commands: { label: string; command: string }[];
  /** Where to go from here. */
  next?: { href: string; label: string };
  copy: string;
  copied: string;
};

/** What a form's action answers: what is wrong with it, in general and by field, and what had been typed; or what it did. */
export type FormState = {
  problem: string | null;
  errors: Record<string, string>;
  values: Record<string, string[]>;
  done?: string;
  shown?: Shown;
};
export type FormAction = (before: FormState, form: FormData) => Promise<FormState>;
export const UNTOUCHED: FormState = { problem: null, errors: {}, values: {} };

type Props = {
  action: FormAction;
  submit: string;
  /** Further buttons of the form, which its action tells by their names. Enter presses the first. */
  others?: readonly { name: string; label: string }[];
  /** The fields, as the server made them; only their errors change here. */
  children?: ReactNode;
};

/**
 * A form that keeps what was typed when the server refuses it, and shows each error beside its field: it is written into the element with
 * the id `<field>-error`. What the action made stands above it, and is gone with the next page.
 */
export function ActionForm({ action, submit, others = [], children }: Props) {
  const [state, run, pending] = useActionState(action, UNTOUCHED);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (form.current) showErrors(form.current, state);
  }, [state]);
  return (
    <>
      {state.shown ? <ShownOnce shown={state.shown} /> : null}
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
    </>
  );
}

function ShownOnce({ shown }: { shown: Shown }) {
  const section = useRef<HTMLElement>(null);
  // The button that asked for it may be a screen further down.
  useEffect(() => {
    if (shown) section.current?.scrollIntoView({ block: 'nearest' });
  }, [shown]);
  return (
    <section ref={section} className="panel mb-4 border-good p-4" aria-live="polite">
      <h2>{shown.title}</h2>
      <p className="mt-1">{shown.text}</p>
      {shown.commands.map(({ label, command }) => (
        <div key={label} className="mt-3">
          <p className="mb-1 font-medium">{label}</p>
          <div className="flex items-start gap-2">
            <code className="min-w-0 flex-1 whitespace-pre-wrap break-all rounded-md bg-raised px-3 py-1.5 font-mono text-[0.92em]">
              {command}
            </code>
            <CopyButton text={command} label={shown.copy} done={shown.copied} />
          </div>
        </div>
      ))}
      {shown.next ? (
        <Link href={shown.next.href} prefetch={false} className="btn mt-3">
          {shown.next.label}
        </Link>
      ) : null}
    </section>
  );
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** An error in a part of a field (`vantages.regions.3`) is shown at the field; one of boxes of which none is ticked at these. */
function placeOf(form: HTMLFormElement, path: string): string {
  const parts = path.split('.');
  const isThere = (name: string) =>
    form.querySelector(`[id="${CSS.escape(`${name}-error`)}"], [name="${CSS.escape(name)}"]`);
  while (parts.length > 1 && !isThere(parts.join('.'))) parts.pop();
  return parts.join('.');
}

/** Writes the errors, opens whatever hides a bad field, and gives the first of them the focus. */
export function showErrors(form: HTMLFormElement, { errors: byPath, values }: FormState): void {
  const errors = Object.fromEntries(Object.entries(byPath).map(([path, text]) => [placeOf(form, path), text]));
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
  // What was chosen may be gone meanwhile: a select without it keeps what the page chooses.
  if (field instanceof HTMLSelectElement && ![...field.options].some(({ value }) => value === sent[0])) return;
  if (field instanceof HTMLInputElement && field.type === 'checkbox') field.checked = sent.includes(field.value);
  else if (field.type !== 'hidden') field.value = sent[0] ?? '';
}
