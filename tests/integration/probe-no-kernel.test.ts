import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '#contract/result.ts';
import { createAuthority, issue } from '../support/pki.ts';
import { type Listening, listen } from '../support/probing.ts';
import { resultsOf, roundtrip } from '../support/roundtrip.ts';

let server: Listening;
let folder: string;
let roots: string;
let withoutKoffi: string;

beforeAll(async () => {
  const root = await createAuthority({ name: 'Root without kernel', key: 'ec' });
  const leaf = await issue(root, { names: ['localhost'] });
  server = await listen(createServer({ key: leaf.keyPem, cert: leaf.chainPem }, (_, response) => response.end('hi')));
  folder = await mkdtemp(path.join(os.tmpdir(), 'roundtrip-no-kernel-'));
  roots = path.join(folder, 'root.pem');
  await writeFile(roots, root.certPem);
  // As on a system for which koffi has no build: whoever requires it is refused.
  withoutKoffi = path.join(folder, 'without-koffi.cjs');
  const hook = `const Module = require('node:module');
    const load = Module._load;
    Module._load = (request, ...rest) => {
      if (request === 'koffi') throw new Error('Cannot find the native Koffi module');
      return load(request, ...rest);
    };`;
  await writeFile(withoutKoffi, hook);
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

/** The Results of `roundtrip probe` in an environment with these variables. */
async function probed(env: Record<string, string>, ...args: string[]): Promise<Result[]> {
  const ran = await roundtrip(['probe', server.url, '--cacert', roots, '--json', ...args], { env });
  expect(ran.status, ran.stderr).toBe(0);
  return resultsOf(ran);
}

describe('where the kernel is not asked', () => {
  it.each([
    ['because nobody wants it', () => ({ ROUNDTRIP_NO_KERNEL: '1' })],
    ['because koffi cannot be loaded', () => ({ NODE_OPTIONS: `--require=${withoutKoffi}` })],
  ])('all is measured by the loop, and the rest is null: %s', async (_, env) => {
    const results = await probed(env(), '--count', '4', '--threads', '2', '--resume');
    expect(results).toHaveLength(8);
    for (const { ok, network, prober, phases, tls } of results) {
      expect(ok).toBe(true);
      expect(prober.stampedBy).toBe('loop');
      expect(network).toMatchObject({ minRttMs: null, retransmits: null, sndCwnd: null, family: 4 });
      for (const field of ['rttMs', 'synRetransmits', 'segmentsIn', 'segmentsOut', 'outOfOrder'] as const)
        expect(network[field] ?? null).toBeNull();
      expect(phases).toMatchObject({ tcp: expect.any(Number), tls: expect.any(Number), download: expect.any(Number) });
      expect(tls?.handshake.wireMs).toBeGreaterThan(0);
    }
  });

  it.runIf(process.platform === 'linux')('it would have been, otherwise', async () => {
    const [result] = await probed({});
    expect(result).toMatchObject({ prober: { stampedBy: 'watcher' }, network: { retransmits: 0 } });
  });
});
