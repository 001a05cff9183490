'use client';

import { type ReactNode, useActionState } from 'react';
import { CopyButton } from './copy-button.tsx';
import { type FormState, StateForm, UNTOUCHED } from './form.tsx';

/** A secret that is shown this once, with the commands that use it; every text is ready to be shown. */
export type Shown = { title: string; text: string; commands: { label: string; command: string }[] };
export type ShownState = FormState & { shown: Shown | null };

type Props = {
  action: (before: ShownState, form: FormData) => Promise<ShownState>;
  submit: string;
  texts: { copy: string; copied: string };
  children: ReactNode;
};

/** A form whose answer is a secret. It stands above the form, and is gone with the next page. */
export function SecretForm({ action, submit, texts, children }: Props) {
  const [state, run, pending] = useActionState(action, { ...UNTOUCHED, shown: null });
  return (
    <>
      {state.shown ? <ShownOnce shown={state.shown} texts={texts} /> : null}
      <StateForm state={state} run={run} pending={pending} submit={submit}>
        {children}
      </StateForm>
    </>
  );
}

function ShownOnce({ shown, texts }: { shown: Shown; texts: Props['texts'] }) {
  return (
    <section className="panel mb-4 border-good p-4" aria-live="polite">
      <h2>{shown.title}</h2>
      <p className="mt-1">{shown.text}</p>
      {shown.commands.map(({ label, command }) => (
        <div key={label} className="mt-3">
          <p className="mb-1 font-medium">{label}</p>
          <div className="flex items-start gap-2">
            <code className="min-w-0 flex-1 whitespace-pre-wrap break-all rounded-md bg-raised px-3 py-1.5 font-mono text-[0.92em]">
              {command}
            </code>
            <CopyButton text={command} label={texts.copy} done={texts.copied} />
          </div>
        </div>
      ))}
    </section>
  );
}
