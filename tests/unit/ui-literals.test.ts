import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const files = ['app', 'components'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.tsx'))
    .map((name) => path.join(folder, name)),
);

/** Comments and string literals hold no JSX text; what stands in braces is code. */
const stripped = (source: string) =>
  source
    .replace(/\{\/\*[\s\S]*?\*\/\}|\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
    .replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g, '""')
    .replace(/=>/g, '=');

/** Text between two tags (or a tag and an expression) that has a word in it. */
function literalTexts(source: string): string[] {
  const inner = [...stripped(source).matchAll(/[\w"})]\s*\/?>([^<>{}=;()|[\]:?&]*)(?=<\/?[a-z]|<[A-Z]|\{)/g)];
  return inner.map(([, text = '']) => text.trim()).filter((text) => /\p{L}{2}/u.test(text));
}

/** Attributes that people read or hear. */
function literalAttributes(source: string): string[] {
  const attributes =
    /\b(?:aria-label|aria-description|title|alt|placeholder|label|term|definition|help|text|submit)="([^"]+)"/g;
  return [...source.matchAll(attributes)]
    .map(([, text = '']) => text)
    .filter((text) => /\p{L}{2}/u.test(text) && !text.startsWith('https://'));
}

it('finds the literal text that it is there to find', () => {
  expect(literalTexts('return <p className="x">Hello there</p>;')).toEqual(['Hello there']);
  expect(literalTexts('<b>\n  Total {count}\n</b>')).toEqual(['Total']);
  expect(literalAttributes('<img alt="A map" />')).toEqual(['A map']);
});

it.each(files)('%s shows no text but that of the message files', (file) => {
  const source = readFileSync(path.join(root, file), 'utf8');
  expect([...literalTexts(source), ...literalAttributes(source)]).toEqual([]);
});
