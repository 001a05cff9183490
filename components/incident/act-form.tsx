'use client';

import { type ReactNode, useActionState } from 'react';
import { type FormAction, UNTOUCHED } from '../ui/form.tsx';
import type { SplitChoice, SplitGroup } from './split-choices.ts';

/** A button that asks before it acts: what it says, and what it asks. */
export type Asked = { label: string; text: string };

type Props = {
  action: FormAction;
  texts: { note: string; placeholder: string; acknowledge: string; resolve: string; more: string; cancel: string };
  acknowledge: boolean;
  resolve: boolean;
  accept: Asked | null;
  notUseful: Asked | null;
  merge: (Asked & { pick: string; choices: SplitChoice[] }) | null;
  split: (Asked & { pick: string; groups: SplitGroup[] }) | null;
};

/** What a person may say of an incident, with a note for the others: all of it in one form, what ends something asks first. */
export function ActForm({ action, texts, acknowledge, resolve, accept, notUseful, merge, split }: Props) {
  const [state, run, pending] = useActionState(action, UNTOUCHED);
  const asking = { cancel: texts.cancel, pending };
  return (
    <form action={run} className="flex flex-wrap items-center gap-2">
      <textarea
        id="note"
        name="note"
        rows={1}
        maxLength={2_000}
        aria-label={texts.note}
        placeholder={texts.placeholder}
        defaultValue={state.values.note?.[0] ?? ''}
        className="field block min-w-0 flex-1 basis-72 resize-y"
      />
      {acknowledge ? (
        <button type="submit" name="action" value="acknowledge" disabled={pending} className="btn btn-primary">
          {texts.acknowledge}
        </button>
      ) : null}
      {resolve ? (
        <button type="submit" name="action" value="resolve" disabled={pending} className="btn">
          {texts.resolve}
        </button>
      ) : null}
      {accept ? <AskedButton {...accept} {...asking} action="accept" /> : null}
      {notUseful ? <AskedButton {...notUseful} {...asking} action="not_useful" /> : null}
      {merge || split ? (
        <details className="open:w-full">
          <summary className="link w-fit cursor-pointer px-1 py-1 text-[0.92rem]">{texts.more}</summary>
          <div className="mt-1 flex flex-wrap gap-x-6 gap-y-3">
            {merge ? (
              <Picked name="into" pick={merge.pick} button={<AskedButton {...merge} {...asking} action="merge" />}>
                <Options choices={merge.choices} />
              </Picked>
            ) : null}
            {split ? (
              <Picked name="series" pick={split.pick} button={<AskedButton {...split} {...asking} action="split" />}>
                {split.groups.map(({ label, choices }) => (
                  <optgroup key={label} label={label}>
                    <Options choices={choices} />
                  </optgroup>
                ))}
              </Picked>
            ) : null}
          </div>
        </details>
      ) : null}
      <p role="alert" className="w-full text-bad empty:hidden">
        {state.problem}
      </p>
    </form>
  );
}

const Options = ({ choices }: { choices: SplitChoice[] }) =>
  choices.map(({ value, label }) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));

type PickedProps = { name: string; pick: string; button: ReactNode; children: ReactNode };

/** A choice and what is done with it. */
function Picked({ name, pick, button, children }: PickedProps) {
  return (
    <div className="flex min-w-0 max-w-full flex-wrap items-end gap-2">
      <div className="min-w-0 max-w-full">
        <label htmlFor={name} className="mb-1 block text-[0.86rem] text-muted">
          {pick}
        </label>
        <select id={name} name={name} className="field block max-w-full sm:max-w-96">
          {children}
        </select>
      </div>
      {button}
    </div>
  );
}

type AskedProps = Asked & { cancel: string; pending: boolean; action: string };

/** The browser's own popover asks, within the form: what was typed and chosen goes along. */
function AskedButton({ label, text, cancel, pending, action }: AskedProps) {
  const id = `ask-${action}`;
  return (
    <>
      <button type="button" popoverTarget={id} className="btn">
        {label}
      </button>
      <div id={id} popover="auto" role="alertdialog" aria-label={label} aria-describedby={`${id}-text`}>
        <p id={`${id}-text`}>{text}</p>
        <div className="mt-4 flex justify-end gap-2">
          <button type="button" className="btn" popoverTarget={id} popoverTargetAction="hide">
            {cancel}
          </button>
          <button type="submit" name="action" value={action} disabled={pending} className="btn btn-primary">
            {label}
          </button>
        </div>
      </div>
    </>
  );
}
