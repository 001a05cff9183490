// Prints what pages say that something else says already: two walks through the code, the rooms of server/ and who may import
// whom, from the code and the import rules; the list of decisions, from their pages; the JSON Schema of the configuration.
// Run it by `npm run docs`; tests/unit/architecture.test.ts says when that is needed.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { configurationSchema } from '#contract/configuration.ts';
import { WALKS } from './walks.ts';

const DECISIONS = 'docs/decisions';
const ROOT = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

type Rule = { name: string; to: { path?: string; pathNot?: string | string[] } };
const rules = (createRequire(import.meta.url)('../.dependency-cruiser.cjs') as { forbidden: Rule[] }).forbidden;
const ruleOf = (name: string) => rules.find((rule) => rule.name === name);

/** The words between the brackets of a pattern: `^(a|b)/`. */
const choices = (pattern: unknown) => /\((.+)\)/.exec(String(pattern))?.[1]?.replaceAll('\\', '').split('|') ?? [];

/** The folders or rooms below `prefix` that a rule lets through. */
const allowedBy = (rule: Rule, prefix: string) =>
  [rule.to.pathNot ?? []].flat().map((pattern) => pattern.slice(`^${prefix}`.length, -1));

/**
 * The first sentence of a file's own comment (the first that no declaration follows at once), or of the comment of an export.
 * Throws an Error that names the file where there is none.
 */
function sentenceOf(file: string, name?: string): string {
  const isWanted = (next: string) =>
    name ? RegExp(`^export .*\\b${name}\\b`).test(next) : /^(import .*)?$/.test(next);
  const comments = read(file).matchAll(/^(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n|(?:\/\/.*\n)+)(.*)$/gm);
  const comment = comments.find(([, , next = '']) => isWanted(next))?.[1];
  if (!comment)
    throw new Error(`${file} lacks a comment ${name ? `of ${name}` : 'of its own'}, which docs/architecture.md prints`);
  const words = comment
    .replace(/^\/\*\*|\*\/\n$|^ \*|^\/\/ ?/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return words.replace(/\.\s.*$/, '.');
}

function walk(title: string): string[] {
  let number = 0;
  const step = (file: string, name?: string) =>
    `${++number}. \`${file}\`${name ? `, \`${name}\`` : ''} — ${sentenceOf(file, name)}`;
  const lines = Object.entries(WALKS[title] ?? {}).flatMap(([stage, files]) => [
    ...['', `**${stage}**`, ''],
    ...files.map((each) => step(...(each.split(' ') as [string, string?]))),
  ]);
  return [`${number} files.`, ...lines];
}

function rooms(): string[] {
  const found = rules.flatMap((rule) => {
    const room = /^server-(.+)-imports$/.exec(rule.name)?.[1];
    return room ? [{ room, may: allowedBy(rule, 'server/').filter((other) => other !== room) }] : [];
  });
  return [
    ...[`${found.length} rooms, ${found.flatMap(({ may }) => may).length} arrows.`, ''],
    ...['| room | what it is | may import |', '|---|---|---|'],
    ...found.map(({ room, may }) => {
      return `| \`${room}\` | ${sentenceOf(`server/${room}/${room}.ts`)} | ${may.join(', ') || '—'} |`;
    }),
  ];
}

/** The table of folders with its last column as the rules have it. A folder of code that no rule is about may import all. */
function folders(written: string[]): string[] {
  const mayImport = (folder: string) => {
    const rule = ruleOf(`${folder.replace('/', '-')}-imports`);
    if (!rule) return choices(ruleOf('contract-imports')?.to.path).includes(folder) ? 'all' : '—';
    const packages = folder === 'contract' ? choices(ruleOf('contract-takes-zod-and-addresses-alone')?.to.pathNot) : [];
    const may = allowedBy(rule, '').filter((other) => other !== folder);
    return [...may, ...packages.map((name) => `the package ${name}`)].join(', ') || '—';
  };
  return written.map((row) => {
    const [, start, folder] = /^(\| `(.+?)\/` \| .* \| ).* \|$/.exec(row) ?? [];
    return start && folder ? `${start}${mayImport(folder)} |` : row;
  });
}

/** The decisions with the title and the status that each page has. */
function decisions(): string[] {
  const pages = readdirSync(path.join(ROOT, DECISIONS)).filter((page) => /^\d{4}-/.test(page));
  const rows = pages.toSorted().map((page) => {
    const [, number, title, status] = /^# (\d+) — (.+)\n\nStatus: (.+)\.\n/.exec(read(`${DECISIONS}/${page}`)) ?? [];
    if (!number)
      throw new Error(`${DECISIONS}/${page} does not begin with “# NUMBER — TITLE” and a line “Status: … .”`);
    return `| [${number}](${page}) | ${title} | ${status} |`;
  });
  return ['| | decision | status |', '|---|---|---|', ...rows];
}

const PRINTED: Record<string, (written: string[]) => string[]> = {
  ...Object.fromEntries(Object.keys(WALKS).map((title) => [title, () => walk(title)])),
  'rooms of server/': rooms,
  'who may import whom': folders,
  decisions,
  'examples of the client': () => [
    '```ts',
    read('client/examples.ts')
      .replace(/^(\/\/.*\n)+/, '')
      .trimEnd(),
    '```',
  ],
};

const SCHEMA = 'docs/configuration.schema.json';
/** The pages that have parts between `<!-- printed: NAME -->` and `<!-- printed -->`, and the files that are printed as a whole. */
export const PAGES = ['docs/architecture.md', 'CONTRIBUTING.md', `${DECISIONS}/README.md`, 'docs/client.md', SCHEMA];

/** A page with its marked parts as the code has them now. */
export function printed(page: string): string {
  if (page === SCHEMA) return `${JSON.stringify(configurationSchema(), null, 2)}\n`;
  return read(page).replace(
    /(<!-- printed: (.+) -->\n\n)([\s\S]*?)(\n\n<!-- printed -->)/g,
    (_, begin, name, written, end) => {
      const print = PRINTED[name];
      if (!print) throw new Error(`${page}: nothing prints “${name}”`);
      return `${begin}${print(written.split('\n')).join('\n')}${end}`;
    },
  );
}

if (path.resolve(process.argv[1] ?? '') === import.meta.filename)
  for (const page of PAGES) writeFileSync(path.join(ROOT, page), printed(page));
