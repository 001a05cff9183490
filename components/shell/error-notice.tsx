'use client';

import { unstable_isUnrecognizedActionError as isUnknownAction, useRouter } from 'next/navigation';
import { createContext, type ReactNode, startTransition, use, useEffect } from 'react';
import { noteUnsent, whenServing } from '../ui/connection.ts';

export type ErrorTexts = { title: string; text: string; retry: string; digest: string };

// An error page is started by the browser, which has no messages: the frame leaves it these.
const Texts = createContext<ErrorTexts>({ title: '', text: '', retry: '', digest: '' });

export function ErrorTextsProvider({ texts, children }: { texts: ErrorTexts; children: ReactNode }) {
  return <Texts value={texts}>{children}</Texts>;
}

/** How often a page that could not be made is asked for again, where the server says that it can do its work. */
const RETRY_MS = 10_000;
/** After a reload the same error within so long is not the old build's. */
const RELOADED_WITHIN_MS = 60_000;
const RELOADED_KEY = 'roundtrip-reloaded-at';

/** The server was redeployed: what this page would load or call is of a build that is gone. */
const isOfOldBuild = (error: Error) => error.name === 'ChunkLoadError' || isUnknownAction(error);

type Props = { error: Error & { digest?: string }; retry: () => void };

/** Says that a page could not be made, and makes it as soon as it can be. The digest finds the error in the server's log. */
export function ErrorNotice({ error, retry }: Props) {
  const texts = use(Texts);
  const router = useRouter();
  useEffect(() => {
    if (isOfOldBuild(error) && mayReload()) {
      if (isUnknownAction(error)) noteUnsent();
      void whenServing().then(() => location.reload());
      return;
    }
    const timer = setInterval(async () => {
      if (document.hidden || !(await isReady())) return;
      startTransition(() => {
        router.refresh();
        retry();
      });
    }, RETRY_MS);
    return () => clearInterval(timer);
  }, [error, retry, router]);
  return (
    <div role="alert" className="panel mx-auto mt-[8vh] max-w-lg p-6 text-center">
      <h1>{texts.title}</h1>
      <p className="mt-2 text-muted">{texts.text}</p>
      {error.digest ? (
        <p className="mt-2 font-mono text-[0.86rem] text-muted">
          {texts.digest} {error.digest}
        </p>
      ) : null}
      <button type="button" className="btn btn-primary mt-4" onClick={retry}>
        {texts.retry}
      </button>
    </div>
  );
}

/** Once: a reload that does not mend it would go on for ever. */
function mayReload(): boolean {
  const last = Number(sessionStorage.getItem(RELOADED_KEY));
  if (Date.now() - last < RELOADED_WITHIN_MS) return false;
  sessionStorage.setItem(RELOADED_KEY, String(Date.now()));
  return true;
}

async function isReady(): Promise<boolean> {
  try {
    return (await fetch('/api/ready', { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
