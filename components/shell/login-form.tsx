'use client';

import { useActionState } from 'react';

type Props = {
  /** Returns what was wrong; on success it goes elsewhere. */
  action: (before: string | null, form: FormData) => Promise<string | null>;
  next: string;
  texts: { password: string; submit: string };
};

/** The administrator's password. */
export function LoginForm({ action, next, texts }: Props) {
  const [problem, submit, pending] = useActionState(action, null);
  return (
    <form action={submit}>
      <input type="hidden" name="next" value={next} />
      <label htmlFor="password" className="font-medium">
        {texts.password}
      </label>
      <input
        id="password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        className="field mt-1"
        aria-invalid={problem !== null}
        aria-describedby={problem ? 'password-problem' : undefined}
      />
      <p id="password-problem" role="alert" className="mt-1 text-bad">
        {problem}
      </p>
      <button type="submit" disabled={pending} className="btn btn-primary mt-3 w-full justify-center">
        {texts.submit}
      </button>
    </form>
  );
}
