'use client';

import { useActionState } from 'react';
import { type FormAction, type FormState, UNTOUCHED } from '../ui/form.tsx';

type Props = {
  action: FormAction<FormState>;
  acknowledge: boolean;
  texts: { note: string; placeholder: string; acknowledge: string; resolve: string };
};

/** Takes an incident, or says that it is over, with a note for the others. */
export function ActForm({ action, acknowledge, texts }: Props) {
  const [state, run, pending] = useActionState(action, UNTOUCHED);
  return (
    <form action={run} className="flex flex-wrap items-end gap-2">
      <div className="min-w-0 flex-1 basis-72">
        <label htmlFor="note" className="mb-1 block text-[0.86rem] text-muted">
          {texts.note}
        </label>
        <textarea
          id="note"
          name="note"
          rows={1}
          maxLength={2_000}
          placeholder={texts.placeholder}
          defaultValue={state.values.note?.[0] ?? ''}
          className="field block resize-y"
        />
      </div>
      {acknowledge ? (
        <button type="submit" name="action" value="acknowledge" disabled={pending} className="btn btn-primary">
          {texts.acknowledge}
        </button>
      ) : null}
      <button type="submit" name="action" value="resolve" disabled={pending} className="btn">
        {texts.resolve}
      </button>
      <p role="alert" className="w-full text-bad empty:hidden">
        {state.problem}
      </p>
    </form>
  );
}
