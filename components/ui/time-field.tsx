'use client';

import { useState } from 'react';
import { TextField } from './field.tsx';

type Props = { name: string; label: string; help?: string; zone: string; value: string | undefined };

/**
 * A time of the zone `zone`, which the label names; `value` as `toLocalField` writes it. The zone goes along with the form, and both stay
 * as they were first shown: a browser tells its own zone with its first page, whose times are of UTC, and what was typed beside
 * that word meant so, also where the page is rendered again meanwhile.
 */
export function TimeField({ name, help, ...given }: Props) {
  const [{ label, zone, value }] = useState(given);
  return (
    <>
      <TextField name={name} type="datetime-local" label={label} help={help} defaultValue={value} />
      <input type="hidden" name="zone" defaultValue={zone} />
    </>
  );
}
