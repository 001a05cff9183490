import { stripVTControlCharacters } from 'node:util';

export const LABEL_WIDTH = 13;
/** Columns of a terminal: nothing printed is wider. */
export const COLUMNS = 80;

/** A label and its text, broken between words so that it fits; `indent` is where the text begins. */
export function row(label: string, text: string, indent: number = LABEL_WIDTH + 2): string {
  const lines = wrapped(text, COLUMNS - indent);
  return lines.map((line, index) => `${(index === 0 ? `  ${label}` : '').padEnd(indent)}${line}`).join('\n');
}

function wrapped(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    const joined = line === '' ? word : `${line} ${word}`;
    if (line === '' || shownLength(joined) <= width) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines;
}

/** Columns that a text takes, without the codes of its colours. */
function shownLength(text: string): number {
  return stripVTControlCharacters(text).length;
}

/** A duration in ten columns. */
export function milliseconds(value: number | null): string {
  return (value === null ? '-' : `${value.toFixed(value < 1 ? 3 : 1)} ms`).padStart(10);
}

/** A duration within a sentence. */
export function ms(value: number): string {
  return milliseconds(value).trim();
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
