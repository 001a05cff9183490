'use client';

import Link from 'next/link';
import { type ReactNode, useEffect, useRef, useState } from 'react';

/** What the rule would have done, in the reader's words; the server makes it of the form as it stands. */
export type RuleReplayView = {
  sentence: string;
  note: string | null;
  firings: { text: string; href: string | null }[];
};

type Props = {
  title: string;
  waiting: string;
  /** Said where the server did not answer. */
  failed: string;
  replay: (form: FormData) => Promise<RuleReplayView>;
  children: ReactNode;
};

/** So long (ms) nothing was typed. */
const PAUSE_MS = 400;

/** What the rule of the form around it would have done in the last week: asked when the page opens and after each change. */
export function RuleReplay({ title, waiting, failed, replay, children }: Props) {
  const place = useRef<HTMLElement>(null);
  const [view, setView] = useState<RuleReplayView | null>(null);
  useEffect(() => {
    const form = place.current?.closest('form');
    if (!form) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let asked = 0;
    const ask = async () => {
      asked += 1;
      const mine = asked;
      const answer = await replay(new FormData(form)).catch(() => ({ sentence: failed, note: null, firings: [] }));
      // An answer that was overtaken belongs to an earlier form.
      if (mine === asked) setView(answer);
    };
    const askSoon = () => {
      clearTimeout(timer);
      timer = setTimeout(() => void ask(), PAUSE_MS);
    };
    void ask();
    form.addEventListener('input', askSoon);
    return () => {
      asked += 1;
      clearTimeout(timer);
      form.removeEventListener('input', askSoon);
    };
  }, [replay, failed]);
  return (
    <section ref={place} className="panel grid gap-2 p-4" aria-live="polite">
      <h2 className="font-semibold">{title}</h2>
      <p>{view?.sentence ?? waiting}</p>
      {view?.note ? <p className="text-muted">{view.note}</p> : null}
      {view && view.firings.length > 0 ? (
        <ul className="grid gap-1">
          {view.firings.map(({ text, href }) => (
            <li key={text}>
              {href ? (
                <Link href={href} className="link inline-block min-h-[24px]">
                  {text}
                </Link>
              ) : (
                text
              )}
            </li>
          ))}
        </ul>
      ) : null}
      {children}
    </section>
  );
}
