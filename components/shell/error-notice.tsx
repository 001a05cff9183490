'use client';

import { createContext, type ReactNode, use } from 'react';

export type ErrorTexts = { title: string; text: string; retry: string; digest: string };

// An error page is started by the browser, which has no messages: the frame leaves it these.
const Texts = createContext<ErrorTexts>({ title: '', text: '', retry: '', digest: '' });

export function ErrorTextsProvider({ texts, children }: { texts: ErrorTexts; children: ReactNode }) {
  return <Texts value={texts}>{children}</Texts>;
}

/** Says that a page could not be made. `digest` finds the error in the server's log. */
export function ErrorNotice({ digest, retry }: { digest: string | undefined; retry: () => void }) {
  const texts = use(Texts);
  return (
    <div role="alert" className="panel mx-auto mt-[8vh] max-w-lg p-6 text-center">
      <h1>{texts.title}</h1>
      <p className="mt-2 text-muted">{texts.text}</p>
      {digest ? (
        <p className="mt-2 font-mono text-[0.86rem] text-muted">
          {texts.digest} {digest}
        </p>
      ) : null}
      <button type="button" className="btn btn-primary mt-4" onClick={retry}>
        {texts.retry}
      </button>
    </div>
  );
}
