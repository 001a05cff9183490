import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { RULE_KINDS } from '#contract/alert-rule.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { EVENT_TYPES } from '#contract/webhook-event.ts';
import { Environment } from '#server/environment/environment.ts';

// What is added in several places (CONTRIBUTING.md, “How to add”) is in those that neither types nor the tests of a thing look at.

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const sources = (folders: string) =>
  globSync(`{${folders}}/**/*.{ts,tsx,mjs}`, { cwd: root }).map((file) => ({ file, text: read(file) }));
const docs = (page: string) => read(`docs/${page}.md`);
const operations = docs('operations');

describe('a page', () => {
  const linking = sources('app,components');
  const addresses = globSync('app/**/page.tsx', { cwd: root }).map((file) => ({
    file,
    parts: path.dirname(file).split('/').slice(1),
  }));

  // Signed out one is sent there; the link of a comparison is made by the server.
  const APART = ['app/page.tsx', 'app/login/page.tsx', 'app/shared/[token]/page.tsx'];
  it.each(addresses.filter(({ file }) => !APART.includes(file)))('$file is led to by a link', ({ file, parts }) => {
    // What the address ends with behind the last id, as it stands in a link: `/rules/new', '/targets/${', }/edit`.
    const isId = (part: string) => part.startsWith('[');
    const ownId = isId(parts.at(-1) ?? '');
    const named = ownId ? parts.slice(0, -1) : parts;
    const end = named.slice(named.findLastIndex(isId) + 1).map((part) => `/${part}`);
    const pattern = new RegExp(`['"\`}]${end.join('')}${ownId ? '/\\$\\{' : '(?![\\w/.-])'}`);
    expect(linking.filter(({ file: other, text }) => other !== file && pattern.test(text))).not.toEqual([]);
  });
});

describe('a variable of the environment', () => {
  // Of tests: an installation that is behind.
  const APART = ['NODE_ENV', 'ROUNDTRIP_NEWEST_MIGRATION'];
  const readThere = sources('app,cli,probe,server,workers').flatMap(({ text }) =>
    [...text.matchAll(/\benv\.(ROUNDTRIP_\w+)/g)].map(([, name = '']) => name),
  );
  const names = [...new Set([...Object.keys(Environment.shape), ...readThere])].filter((name) => !APART.includes(name));

  it.each(names)('%s stands in the docs', (name) => {
    expect(['operations', 'api', 'measuring'].some((page) => new RegExp(`\\b${name}\\b`).test(docs(page)))).toBe(true);
  });

  // Of the image, and in the file that `setup` leaves.
  const GIVEN_OTHERWISE = ['PORT', 'HOST', 'ROUNDTRIP_DATA', 'ROUNDTRIP_TOKEN'];

  it('reaches web, jobs and prober in docker-compose.yml where docs/operations.md says that they read it', () => {
    const { services } = parse(read('docker-compose.yml'), { merge: true });
    const rows = [...operations.matchAll(/^\| (`[A-Z][^|]+`) \| [^|]* \| ([^|]+) \| /gm)];
    const lacking = rows.flatMap(([, cell = '', by = '']) =>
      ['web', 'jobs', 'prober']
        .filter((each) => by.split(', ').includes(each))
        .flatMap((service) =>
          [...cell.matchAll(/`([A-Z_]+)`/g)]
            .map(([, name = '']) => name)
            .filter((name) => !GIVEN_OTHERWISE.includes(name) && !(name in services[service].environment))
            .map((name) => `${service}: ${name}`),
        ),
    );
    expect(rows.length).toBeGreaterThan(25);
    expect(lacking).toEqual([]);
  });
});

describe('an alert rule’s kind', () => {
  const judging = read('server/rules/evaluate.ts');
  const api = docs('api');

  it.each(RULE_KINDS)('%s is judged, but for the detector’s, and has its row in docs/api.md', (kind) => {
    if (kind !== 'detector') expect(judging).toContain(`rulesOf(getPrisma(), '${kind}')`);
    expect(api).toMatch(new RegExp(`^\\| \`${kind}\` \\|`, 'm'));
  });

  it('sends events that docs/webhooks.md names', () => {
    const page = docs('webhooks');
    expect(EVENT_TYPES.filter((type) => !page.includes(`\`${type}\``))).toEqual([]);
  });
});

it('an operation of the API has its noun in docs/api.md or docs/operations.md', () => {
  const pages = docs('api') + operations;
  const nouns = OPERATIONS.map(({ path: address }) =>
    address.replace('/api/v1', '').replace(/(?<=\/[\w.-]+)\/\{.*/, ''),
  );
  expect(nouns.length).toBeGreaterThan(50);
  expect([...new Set(nouns)].filter((noun) => !pages.includes(noun))).toEqual([]);
});
