'use client';

import Link from 'next/link';
import { type ReactNode, useActionState, useEffect, useRef } from 'react';
import { CopyButton } from './copy-button.tsx';
import { type FormState, StateForm, UNTOUCHED } from './form.tsx';

/** What an action made, such as a secret that is shown this once, to be copied; every text is ready to be shown. */
export type Shown = {
  title: string;
  text: string;
  commands: { label: string; command: string }[];
  /** Where to go from here. */
  next?: { href: string; label: string };
};
export type ShownState = FormState & { shown: Shown | null };

type Props = {
  action: (before: ShownState, form: FormData) => Promise<ShownState>;
  submit: string;
  others?: readonly { name: string; label: string }[];
  texts: { copy: string; copied: string };
  children: ReactNode;
};

/** A form whose answer is a secret. It stands above the form, and is gone with the next page. */
export function SecretForm({ action, texts, children, ...buttons }: Props) {
  const [state, run, pending] = useActionState(action, { ...UNTOUCHED, shown: null });
  return (
    <>
      {state.shown ? <ShownOnce shown={state.shown} texts={texts} /> : null}
      <StateForm state={state} run={run} pending={pending} {...buttons}>
        {children}
      </StateForm>
    </>
  );
}

function ShownOnce({ shown, texts }: { shown: Shown; texts: Props['texts'] }) {
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
            <CopyButton text={command} label={texts.copy} done={texts.copied} />
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
