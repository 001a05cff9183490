type Props = {
  next: string;
  /** What was wrong with the last attempt. */
  problem: string | null;
  texts: { password: string; submit: string };
};

/** Signs in by the link that this page was opened with: by a click, since programs open links too. */
export function LinkForm({ token, next, submit }: { token: string; next: string; submit: string }) {
  return (
    <form action="/sign-in" method="post">
      <input type="hidden" name="next" value={next} />
      <input type="hidden" name="token" value={token} />
      <button type="submit" className="btn btn-primary w-full justify-center">
        {submit}
      </button>
    </form>
  );
}

/** The administrator's password: a plain form, so that signing in needs no script. */
export function LoginForm({ next, problem, texts }: Props) {
  return (
    <form action="/sign-in" method="post">
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
        // biome-ignore lint/a11y/noAutofocus: the page's one field; its description says what was wrong
        autoFocus={problem !== null}
        className="field mt-1"
        aria-invalid={problem !== null}
        aria-describedby={problem ? 'password-problem' : undefined}
      />
      {problem ? (
        <p id="password-problem" role="alert" className="mt-1 text-bad">
          {problem}
        </p>
      ) : null}
      <button type="submit" className="btn btn-primary mt-3 w-full justify-center">
        {texts.submit}
      </button>
    </form>
  );
}
