import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FORMATS, WebhookDraft } from '#contract/webhook.ts';
import { previewDraft } from '#server/webhooks/preview.ts';
import { enqueue, makeEvent, makeWebhook, pump, statesOf, TestClock } from '../support/deliveries.ts';
import { prepareOutbox } from '../support/outbox.ts';
import { collect, freePort, stop } from '../support/process.ts';

// What docs/webhooks.md shows is run as it stands there.

const ROOT = path.join(import.meta.dirname, '../..');
prepareOutbox();
let docs: string;
let folder: string;
const children: ChildProcess[] = [];
beforeAll(async () => {
  docs = await readFile(path.join(ROOT, 'docs/webhooks.md'), 'utf8');
  // Inside the checkout, where the published library is found.
  const cache = path.join(ROOT, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  folder = await mkdtemp(path.join(cache, 'roundtrip-docs-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) await stop(child);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const blocks = (language: string) =>
  [...docs.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, code]) => code ?? '');

function pythonProblem(): string | null {
  try {
    execFileSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 9)'], { stdio: 'ignore' });
    return null;
  } catch {
    return 'there is no Python 3.9 here';
  }
}

/** Starts the receiver of the docs with this secret. */
async function startExample(program: string, file: string, code: string, secret: string, port: number) {
  await writeFile(path.join(folder, file), code);
  const env = { ...process.env, SECRET: secret, PORT: String(port) };
  const child = spawn(program, [path.join(folder, file)], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  const said = collect(child);
  while (!said().includes('listening')) await once(child.stdout, 'data');
  return said;
}

describe('the receiver of the docs', () => {
  it.for([
    ['in Node', 'js', process.execPath, 'receiver.mjs'],
    ['in Python', 'python', 'python3', 'receiver.py'],
  ] as const)(
    '%s takes what we send, once, and refuses what others send',
    async ([, language, program, file], context) => {
      const problem = language === 'python' ? pythonProblem() : null;
      if (problem) return context.skip(problem);
      const [code = ''] = blocks(language);
      expect(code).toContain(file);
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/`;
      const genuine = await makeWebhook({ url });
      const said = await startExample(program, file, code, genuine.secret ?? '', port);
      const stranger = await makeWebhook({ url });
      const clock = new TestClock(new Date().toISOString());
      await enqueue([makeEvent({}, { targetName: 'shop' }), makeEvent({}, { targetName: 'search' })], clock.now());
      await enqueue(
        Array.from({ length: 15 }, (_one, n) => makeEvent({ type: 'target.down' }, { targetName: `burst ${n}` })),
        clock.now(),
      );
      await pump(clock);
      expect(await statesOf(genuine.id)).toMatchObject({ delivered: 1, grouped: 17 });
      expect((await statesOf(stranger.id)).delivered).toBeUndefined();
      const lines = said().trim().split('\n').slice(1);
      expect(lines.slice(0, 3)).toEqual(['tls.spike.opened shop', 'tls.spike.opened search', 'target.down burst 0']);
      expect(lines).toHaveLength(17);
    },
  );
});

it('every webhook of the docs can be made, and each vendor has one, Slack two', async () => {
  const made = blocks('json')
    .filter((code) => code.startsWith('{"format"'))
    .map((code) => WebhookDraft.parse(JSON.parse(code)));
  const shown = await Promise.all(made.map((draft) => previewDraft(draft)));
  for (const { body } of shown) expect(body).toContain('shop.example.org');
  // Slack has two: an incoming webhook, and an app whose messages of an incident are a thread.
  const vendors = [...FORMATS.filter((format) => format !== 'standard'), 'slack'];
  expect(made.map(({ format }) => format).sort()).toEqual(vendors.sort());
});
