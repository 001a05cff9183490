import { InvalidArgumentError } from 'commander';
import { settingProblems } from '#contract/settings-problems.ts';
import { Expectation, MAX_REQUEST_HEADERS, ProbeRequestSettings, ProbeSettings } from '#contract/target.ts';
import { readFile } from './files.ts';

/** What `--header`, `--data` and `--expect-...` mean. Each gives its value or throws a sentence that names the fault. */

export type Header = ProbeRequestSettings['headers'][number];

/** curl's `Name: value`; `Name;` sends an empty value. One more, after those that came before it. */
export function headerEntry(text: string, before: Header[] = []): Header[] {
  if (before.length >= MAX_REQUEST_HEADERS) {
    throw new InvalidArgumentError(`There are more than ${MAX_REQUEST_HEADERS} headers.`);
  }
  const [, name, value = ''] = /^([^:;]+):[ \t]*(.+)$/.exec(text.trim()) ?? /^([^:;]+);$/.exec(text.trim()) ?? [];
  if (name === undefined) {
    throw new InvalidArgumentError("It must be 'Name: value', such as 'Accept: text/html', or 'Name;' for no value.");
  }
  const parsed = ProbeRequestSettings.shape.headers.unwrap().safeParse([{ name: name.trim(), value: value.trim() }]);
  if (parsed.success) return [...before, ...parsed.data];
  const [issue] = parsed.error.issues;
  throw new InvalidArgumentError(`The ${String(issue?.path.at(-1))} ${issue?.message}.`);
}

/** The body as it is written, or that of a file (`@FILE`, `@-` for standard input), as it is. */
export function bodyText(text: string): string {
  const body = text.startsWith('@') ? readFile(text.slice(1)) : text;
  if (ProbeRequestSettings.shape.body.safeParse(body).success) return body;
  throw new InvalidArgumentError('It is longer than 16384 characters.');
}

export function statusList(text: string): string[] {
  const entries = text.split(',').map((entry) => entry.trim().toLowerCase());
  const settings = ProbeSettings.safeParse({ expect: { status: entries } });
  if (settings.success && settingProblems(settings.data).length === 0) return entries;
  throw new InvalidArgumentError('It must be statuses, ranges or classes, such as 200,204 or 200-299 or 2xx,304.');
}

export function expectedText(text: string): string {
  if (Expectation.shape.bodyContains.safeParse(text).success) return text;
  throw new InvalidArgumentError('It must be a text of 1 to 1000 characters.');
}
