import type { InputHTMLAttributes, ReactNode, TextareaHTMLAttributes } from 'react';
import type { Option } from './options.ts';

type Common = { name: string; label: string; help?: string | undefined };

/** A label, a control, a word of help, and the slot for the field's error. */
function FieldFrame({ name, label, help, children }: Common & { children: ReactNode }) {
  return (
    <div className="min-w-0">
      <label htmlFor={name} className="mb-1 block font-medium">
        {label}
      </label>
      {children}
      <p id={`${name}-help`} className="mt-0.5 text-[0.86rem] text-muted">
        {help}
      </p>
      <p id={`${name}-error`} className="text-[0.9rem] text-bad" aria-live="polite" />
    </div>
  );
}

type InputProps = Common & { verbatim?: boolean } & Omit<InputHTMLAttributes<HTMLInputElement>, 'name'>;

/** Of what a machine reads every letter counts: nothing is corrected or filled in. */
const VERBATIM = { spellCheck: false, autoCapitalize: 'off', autoComplete: 'off' } as const;

/** What a control and its frame know each other by. */
const namedControl = (name: string) => ({ id: name, name, 'aria-describedby': `${name}-help ${name}-error` });

/** A line of text; `verbatim` where a machine reads it. */
export function TextField({ name, label, help, verbatim = false, ...input }: InputProps) {
  return (
    <FieldFrame name={name} label={label} help={help}>
      <input {...namedControl(name)} className="field" {...(verbatim ? VERBATIM : {})} {...input} />
    </FieldFrame>
  );
}

type NameProps = Omit<Common, 'name'> & { value?: string; placeholder?: string; required?: boolean };

/** The name of a thing, as the API bounds it. */
export function NameField({ value, ...field }: NameProps) {
  return <TextField name="name" maxLength={200} defaultValue={value} {...field} />;
}

/** A number as people write it; empty for null. */
export function NumberField({ value, whole = false, ...field }: Common & { value: number | null; whole?: boolean }) {
  const inputMode = whole ? 'numeric' : 'decimal';
  return <TextField inputMode={inputMode} autoComplete="off" defaultValue={value ?? ''} {...field} />;
}

type AreaProps = { name: string; label: string; help?: string } & Omit<
  TextareaHTMLAttributes<HTMLTextAreaElement>,
  'name' | 'className'
>;

/** Text of several lines that a machine reads: PEM, headers, a body. */
export function AreaField({ name, label, help, ...area }: AreaProps) {
  return (
    <FieldFrame name={name} label={label} help={help}>
      <textarea
        {...namedControl(name)}
        rows={3}
        spellCheck={false}
        autoComplete="off"
        className="field block resize-y font-mono text-[0.86rem]"
        {...area}
      />
    </FieldFrame>
  );
}

type SelectProps = Omit<Common, 'help'> & { value: string; options: Option[] };

export function SelectField({ name, label, value, options }: SelectProps) {
  return (
    <FieldFrame name={name} label={label}>
      <select {...namedControl(name)} className="field" defaultValue={value}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}

/** `value` is sent where the box is ticked. */
export function CheckField({
  name,
  label,
  help,
  checked,
  value = 'on',
}: {
  name: string;
  label: string;
  help?: string;
  checked: boolean;
  value?: string;
}) {
  return (
    <label className="flex items-center gap-2">
      <input type="checkbox" name={name} value={value} defaultChecked={checked} />
      <span>
        {label}
        {help ? <span className="block text-[0.86rem] text-muted">{help}</span> : null}
      </span>
    </label>
  );
}

/** A set of boxes with one name. */
export function CheckGroup({ name, label, options, chosen }: GroupProps) {
  return (
    <fieldset>
      <legend className="mb-1 font-medium">{label}</legend>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(8.5rem,1fr))] gap-x-3 gap-y-1">
        {options.map((option) => (
          <CheckField
            key={option.value}
            name={name}
            value={option.value}
            label={option.label}
            checked={chosen.includes(option.value)}
          />
        ))}
      </div>
      <p id={`${name}-error`} className="text-[0.9rem] text-bad" aria-live="polite" />
    </fieldset>
  );
}

type GroupProps = {
  name: string;
  label: string;
  options: Option[];
  chosen: readonly string[];
};
