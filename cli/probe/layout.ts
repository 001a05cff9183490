import { stripVTControlCharacters } from 'node:util';

export const LABEL_WIDTH = 13;
/** Text is set this wide where nothing else is known, and never wider: longer lines are hard to read. */
const USUAL_COLUMNS = 80;
/** Text for narrower terminals is cut by them. */
const LEAST_COLUMNS = 48;
let columns = USUAL_COLUMNS;

/** Columns that text may take; configuration that is to be copied takes what it needs. */
export const screenColumns = (): number => columns;

/** Fits all that is printed from now on into a terminal; pipes and files have the usual width. */
export function fitInto(stream: { isTTY?: boolean; columns?: number }): void {
  const wide = stream.isTTY && stream.columns ? stream.columns : USUAL_COLUMNS;
  columns = Math.min(USUAL_COLUMNS, Math.max(LEAST_COLUMNS, wide));
}

/** A label and its text, broken between words so that it fits; `indent` is where the text begins. */
export function row(label: string, text: string, indent: number = LABEL_WIDTH + 2): string {
  const lines = wrapped(text, Math.max(LEAST_TEXT, columns - indent));
  return lines.map((line, index) => `${padded(index === 0 ? `  ${label}` : '', indent)}${line}`).join('\n');
}

/** A text beside a deep indent keeps so many columns. */
const LEAST_TEXT = 20;

/** A character that takes two columns (UAX #11): East Asian letters, their punctuation and full-width forms, and pictures. */
const WIDE =
  '(?![\\uffa0-\\uffdc])[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Hang}\\p{sc=Bopo}\\u3000-\\u303e\\u30a0-\\u30ff\\u3200-\\u33ff\\uff01-\\uff60\\uffe0-\\uffe6\\p{Emoji_Presentation}]';
const WIDE_CHARACTERS = new RegExp(WIDE, 'gu');
const COMBINING = /\p{Mn}/gu;
/** What stays on one line: a wide character with what closes after it, or all up to the next space or wide character. */
const PIECES = new RegExp(` *(?:${WIDE}[\\p{Pe}\\p{Pf}\\p{Po}]*|(?:(?!${WIDE})[^ ])+)`, 'gu');

function wrapped(text: string, width: number): string[] {
  const lines = [''];
  for (const piece of text.match(PIECES) ?? []) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = piece.trimStart();
    else if (shownWidth(line + piece) <= width) lines[lines.length - 1] = line + piece;
    else lines.push(piece.trimStart());
  }
  return lines;
}

/** A text with spaces behind it, so that it takes at least so many columns. */
export const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - shownWidth(text)));

/** Columns that a text takes, without the codes of its colours. */
export function shownWidth(text: string): number {
  const shown = stripVTControlCharacters(text).replace(COMBINING, '').replace(WIDE_CHARACTERS, '..');
  return [...shown].length;
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

/** A change of a duration, with its sign. */
export function signedMs(change: number): string {
  const rounded = change.toFixed(1).replace(/^-0\.0$/, '0.0');
  return `${Number(rounded) > 0 ? '+' : ''}${rounded} ms`;
}
