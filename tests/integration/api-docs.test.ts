import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import type { Measurement } from '#contract/measurement.ts';
import { storeTls13 } from '../support/compared.ts';
import { MINUTE } from '../support/comparing.ts';
import { storeIncident } from '../support/incident-of.ts';
import { insertProber } from '../support/places.ts';
import { prepareApi } from '../support/prepare.ts';
import { makeVantage } from '../support/vantages.ts';

// Every call that docs/api.md and docs/webhooks.md show is made as it stands there, one after the other.

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, '../..');

/** The calls of a page; one may go on over several lines. */
const callsOf = (page: string) =>
  [...readFileSync(path.join(ROOT, page), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)]
    .flatMap(([, block = '']) => block.replaceAll('\\\n', ' ').split('\n'))
    .filter((line) => line.startsWith('curl '));
const CALLS = ['docs/api.md', 'docs/webhooks.md'].flatMap(callsOf);

let env: NodeJS.ProcessEnv;
const api = prepareApi();
beforeAll(async () => {
  const { targetId, vantages } = await storeTls13({ at: Date.now() - 60 * MINUTE, name: 'shop' });
  await insertProber([makeVantage('CN-GD', 'telecom'), makeVantage('CN-GD', 'unicom')]);
  const [vantage] = vantages;
  const INCIDENT = vantage ? await storeIncident({ targetId, vantage }) : '';
  const { json: results } = await api.ask('GET', `/api/v1/results?target=${targetId}&limit=1`);
  const [result] = (results as { data: { id: string }[] }).data;
  const { json } = await api.ask('POST', '/api/v1/measurements', { body: { url: 'https://shop.example.org/' } });
  const ids = {
    TARGET: targetId,
    ID: targetId,
    INCIDENT,
    RESULT: result?.id ?? '',
    MEASUREMENT: (json as Measurement).id,
  };
  env = { ...process.env, SERVER: api.server.baseUrl, KEY: api.keys.admin, ...ids };
}, 300_000);

it('finds the calls', () => expect(CALLS.length).toBeGreaterThan(20));

const asShown = (call: string, flags = '') =>
  `curl() { exec curl --no-progress-meter --fail-with-body ${flags} "$@"; }\n${call}`;
/** Of these the answer goes on until its reader leaves. */
const isEndless = (call: string) => call.includes('/api/v1/events');

it.each(CALLS.filter((call) => !isEndless(call)))('%s', async (call) => {
  const { stdout } = await run('bash', ['-c', asShown(call)], { env }).catch((error) => {
    throw new Error(`${error.stderr}${error.stdout}`);
  });
  if (!call.includes('-X DELETE')) expect(stdout).not.toBe('');
});

it.each(CALLS.filter(isEndless))('%s', async (call) => {
  const reader = spawn('bash', ['-c', asShown(call, '--include')], { env });
  const [head] = await once(reader.stdout, 'data');
  expect(String(head)).toMatch(/^HTTP\/1.1 200 /);
  reader.kill();
  await once(reader, 'close');
});
