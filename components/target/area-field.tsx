import type { TextareaHTMLAttributes } from 'react';
import { FieldFrame } from '../ui/field.tsx';

type Props = { name: string; label: string; help?: string } & Omit<
  TextareaHTMLAttributes<HTMLTextAreaElement>,
  'name' | 'className'
>;

/** Text of several lines that a machine reads: PEM, headers, a body. */
export function AreaField({ name, label, help, ...area }: Props) {
  return (
    <FieldFrame name={name} label={label} help={help}>
      <textarea
        id={name}
        name={name}
        rows={3}
        spellCheck={false}
        autoComplete="off"
        className="field block resize-y font-mono text-[0.86rem]"
        aria-describedby={`${name}-help ${name}-error`}
        {...area}
      />
    </FieldFrame>
  );
}
