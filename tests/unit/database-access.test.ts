import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Prisma } from '#prisma/generated/client.ts';
import { words } from '../support/words.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Rows that a person makes, edits or opens one at a time (docs/decisions/0049-client-and-sql.md). */
const OF_PERSONS = [
  ...words(`
    target check vantage prober enrolment apiKey setting marker comparison alertRule silence loweredSensitivity
    webhook statusPage measurement
  `),
  // The answer to a person's request, stored in its transaction, which the client has.
  'idempotency',
  'delivery',
  'incident',
  'incidentEvent',
];
/** Who makes such a row makes it through the client; the demo makes a hundred at once. */
const MADE_ONE_BY_ONE = words(
  'target vantage enrolment api_key comparison alert_rule silence webhook status_page measurement',
);

const sources = ['server', 'app', 'workers', 'cli'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => ({ file: `${folder}/${file}`, text: readFileSync(path.join(root, folder, file), 'utf8') })),
);

test('only rows that a person makes, edits or opens are read and written through Prisma’s client', () => {
  const models = Object.values(Prisma.ModelName).map((name) => name.charAt(0).toLowerCase() + name.slice(1));
  const call = new RegExp(`\\.(${models.join('|')})\\.(find|create|update|delete|upsert|count|aggregate|groupBy)`, 'g');
  const calls = sources.flatMap(({ file, text }) =>
    Array.from(text.matchAll(call), ([, model = '']) => ({ file, model })),
  );
  expect(calls.length).toBeGreaterThan(50);
  expect(OF_PERSONS.filter((model) => !calls.some((each) => each.model === model))).toEqual([]);
  expect(calls.filter(({ model }) => !OF_PERSONS.includes(model))).toEqual([]);
});

test('and those that a person makes are made through it', () => {
  const insert = new RegExp(`insert into (${MADE_ONE_BY_ONE.join('|')})\\b`);
  const files = sources.filter(({ text }) => insert.test(text)).map(({ file }) => file);
  expect(files.filter((file) => !file.startsWith('server/demo/'))).toEqual([]);
});
