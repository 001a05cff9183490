'use client';

import { useId, useState } from 'react';
import { CopyButton } from '../ui/copy-button.tsx';

export type SnippetChoice = { value: string; label: string; snippet: string | null; none: string };

type Props = {
  /** In their order; `none` says that a server has no snippet. */
  choices: SnippetChoice[];
  /** Null where it is not known which server this is: nothing is shown until the reader chooses. */
  chosen: string | null;
  texts: { label: string; copy: string; copied: string; unknown: string };
};

/** The configuration for a server that the reader chooses, to be copied. */
export function SnippetBox({ choices, chosen, texts }: Props) {
  const id = useId();
  const [value, setValue] = useState(chosen ?? '');
  const choice = choices.find((each) => each.value === value);
  return (
    <div className="mt-3">
      <div className="mb-1 flex flex-wrap items-center gap-2">
        <label htmlFor={id} className="font-medium">
          {texts.label}
        </label>
        <select id={id} className="field w-auto" value={value} onChange={(event) => setValue(event.target.value)}>
          {chosen === null ? <option value="">–</option> : null}
          {choices.map((each) => (
            <option key={each.value} value={each.value}>
              {each.label}
            </option>
          ))}
        </select>
        {choice?.snippet ? <CopyButton text={choice.snippet} label={texts.copy} done={texts.copied} /> : null}
      </div>
      {choice?.snippet ? (
        <pre className="overflow-x-auto whitespace-pre-wrap break-words rounded-md bg-raised px-3 py-2 font-mono text-[0.92em]">
          {choice.snippet}
        </pre>
      ) : (
        <p className="text-muted">{choice?.none ?? texts.unknown}</p>
      )}
    </div>
  );
}
