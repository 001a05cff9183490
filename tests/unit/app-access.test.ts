import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '#contract/operations.ts';

// Everything that Next serves from app/ is looked at: it is made by a wrapper that judges who asks before anything else
// runs (app/access.ts), or is on one of these lists, with the reason.

const OPEN_PAGES = [
  'app/login/page.tsx',
  // With the token of a link, which leads to one comparison or measurement (tests/integration/api-comparisons.test.ts, measurement-link.test.ts).
  'app/shared/[token]/page.tsx',
  // With that of a status page (tests/integration/status-pages.test.ts).
  'app/shared/[token]/wall/page.tsx',
];
const OPEN_FRAMES = [
  // The frame asks who reads by itself, and shows others no more than the product's name.
  'app/layout.tsx',
  'app/not-found.tsx',
  'app/error.tsx',
];
const OPEN_ROUTES = [
  // Set a cookie of the reader's own; begin and end a session.
  'app/preferences/route.ts',
  'app/sign-in/route.ts',
  'app/sign-out/route.ts',
  // With the token of a status page.
  'app/shared/[token]/badge.svg/route.ts',
  // Say to everybody that the server is starting.
  'app/api/[...path]/route.ts',
  'app/metrics/[[...path]]/route.ts',
];
const OPEN_OPERATIONS = [
  'getSession',
  'createSession',
  'deleteSession',
  'getOpenApi',
  'getConfigurationSchema',
  'getHealth',
  'getReady',
  // Figures of targets only for those who may read.
  'getMetrics',
  // With a one-time token in its body.
  'enrolProber',
];

const files = globSync('app/**/*.{ts,tsx}').map((file) => file.split(path.sep).join('/'));

/** What a file exports by name, each with the beginning of what makes it. Exports begin a line: the formatter sees to it. */
function exportsOf(file: string): { name: string; made: string }[] {
  const source = readFileSync(file, 'utf8');
  return [...source.matchAll(/^export\s+(?!type\b|interface\b)(?=([\s\S]{0,400}))/gm)].flatMap(([, text = '']) => {
    const parts = /^(?:(default)\s+|const\s+(\{[^}]*\}|\w+)(?::[^=]+)?\s*=\s*)([\s\S]*)$/.exec(text) ?? [];
    const [, kind, names = '', made = ''] = parts;
    if (kind === 'default') return [{ name: 'default', made }];
    if (names.startsWith('{')) {
      return names
        .slice(1, -1)
        .split(',')
        .map((name) => ({ name: name.trim(), made }))
        .filter(({ name }) => name);
    }
    // Whatever else is exported is made by no wrapper.
    return names ? [{ name: names, made }] : [{ name: text.slice(0, 40), made: text }];
  });
}

const named = (name: string) => files.filter((file) => new RegExp(`/${name}\\.tsx?$`).test(`/${file}`));
const label = ({ name, made }: { name: string; made: string }) => `${name} = ${made.slice(0, 60)}`;

describe('app/', () => {
  it('holds no kind of file that this test does not know', () => {
    const special =
      /\/(template|default|loading|global-error|forbidden|unauthorized|icon|apple-icon|opengraph-image|twitter-image|sitemap|robots|manifest)\.\w+$/;
    expect(files.filter((file) => special.test(file))).toEqual([]);
    expect([...named('layout'), ...named('not-found'), ...named('error')].toSorted()).toEqual(OPEN_FRAMES.toSorted());
  });

  it.each(named('page').filter((file) => !OPEN_PAGES.includes(file)))(
    '%s judges its reader before page and title',
    (file) => {
      const unguarded = exportsOf(file).filter(({ name, made }) => {
        if (name === 'default') return !/^(readerPage|adminPage)\(/.test(made);
        return name !== 'generateMetadata' || !made.startsWith('readerTitle(');
      });
      expect(unguarded.map(label)).toEqual([]);
      expect(exportsOf(file).map(({ name }) => name)).toContain('default');
    },
  );

  it.each(files.filter((file) => /['"]use server['"]/.test(readFileSync(file, 'utf8'))))(
    '%s has actions of the administrator alone',
    (file) => {
      expect(readFileSync(file, 'utf8')).toMatch(/^'use server';\n/);
      const unguarded = exportsOf(file).filter(({ made }) => !made.startsWith('adminAction('));
      expect(unguarded.map(label)).toEqual([]);
    },
  );

  it('has no other route', () => {
    expect(named('route').toSorted()).toEqual(OPEN_ROUTES.toSorted());
  });

  it('serves no operation to anybody but those that are meant to be open', () => {
    const open = OPERATIONS.filter(({ access }) => access === 'public').map(({ id }) => id);
    expect(open.toSorted()).toEqual(OPEN_OPERATIONS.toSorted());
  });

  it('lists nothing that is gone', () => {
    expect([...OPEN_PAGES, ...OPEN_FRAMES, ...OPEN_ROUTES].filter((file) => !files.includes(file))).toEqual([]);
  });
});
