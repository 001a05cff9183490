import type { WriteStream } from 'node:tty';

/** Colours a piece of text; without colour it gives the text back. */
export type Paint = Record<
  'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'blue' | 'magenta',
  (text: string) => string
>;

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36, blue: 34, magenta: 35 } as const;

/** Colour is for terminals whose user has not declined it (NO_COLOR, https://no-color.org). */
export function wantsColour(stream: Pick<WriteStream, 'isTTY'>, environment: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && !environment.NO_COLOR && environment.TERM !== 'dumb';
}

export function paintFor(colour: boolean): Paint {
  const painted = (code: number) => (text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    bold: painted(CODES.bold),
    dim: painted(CODES.dim),
    red: painted(CODES.red),
    green: painted(CODES.green),
    yellow: painted(CODES.yellow),
    cyan: painted(CODES.cyan),
    blue: painted(CODES.blue),
    magenta: painted(CODES.magenta),
  };
}

/** What a server says, made harmless: no control character of a stranger reaches the terminal. */
export function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd');
}

/** JSON that a terminal shows as it is: what it would obey (C1 controls, marks of text direction) is written as an escape. */
export function harmlessJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
