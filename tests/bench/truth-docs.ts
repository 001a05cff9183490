import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '#cli/dist.mjs';

const FILE = path.join(ROOT, 'docs/benchmarks.md');
const HEADING = '## Truth';

/** Makes `text` the section "Truth" of docs/benchmarks.md, in the place of the one before. */
export function putInDocs(text: string): void {
  writeFileSync(FILE, withTruth(readFileSync(FILE, 'utf8'), text));
}

/** What stands under the heading is replaced up to a line `**` or the next heading: words below the tables are kept. */
export function withTruth(document: string, text: string): string {
  const section = `${HEADING}\n\n${text}\n`;
  const from = document.search(new RegExp(`^${HEADING}$`, 'm'));
  if (from < 0) return `${document.trimEnd()}\n\n${section}`;
  const length = document.slice(from + HEADING.length).search(/^(## |\*\*)/m);
  const rest = length < 0 ? '' : `\n${document.slice(from + HEADING.length + length)}`;
  return `${document.slice(0, from)}${section}${rest}`;
}
