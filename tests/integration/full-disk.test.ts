import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#cli/database/embedded-postgres.ts';
import { Problem } from '#contract/problem.ts';
import { closeDatabase } from '#server/database/database.ts';
import { migrate } from '#server/database/migrate.ts';
import { type Prober, startProber } from '#workers/prober/prober.ts';
import { isLong } from '../support/extent.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { startTlsTarget, type TlsTarget } from '../support/tls-target.ts';
import { minutesOf, storedResults, type Watched, watch } from '../support/watched.ts';

// PostgreSQL on a small tmpfs that fills up, the real web process before it, and a prober that must lose nothing.

const SIZE = '200m';
const within = { timeout: 60_000, interval: 100 };
/**
 * Mounting needs rights that a test may not have; then, and in `npm test`, prober-faults.test.ts stands in with an error by a
 * trigger.
 */
const disk = isLong ? mountSmallDisk() : null;

function mountSmallDisk(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'roundtrip-full-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder], { stdio: 'pipe' });
    chmodSync(folder, 0o755); // PostgreSQL runs under an account of its own where this is root
    return folder;
  } catch (error) {
    console.info(`the test of a full disk is skipped, a tmpfs cannot be mounted here: ${String(error).split('\n')[0]}`);
    rmSync(folder, { recursive: true });
    return null;
  }
}

describe.skipIf(disk === null)('a full disk at the server', () => {
  const folder = disk ?? '';
  let postgres: EmbeddedPostgres;
  let web: TestServer;
  let proxy: FaultProxy;
  let target: TlsTarget;
  let watched: Watched;
  let dataDir: string;
  let prober: Prober | undefined;
  const answers: { status: number; text: string }[] = [];

  beforeAll(async () => {
    process.env.ROUNDTRIP_ALLOW_PRIVATE_TARGETS = '1';
    process.env.ROUNDTRIP_SECRET = 'a secret of the tests, and of them alone';
    postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
    await migrate(postgres.url);
    process.env.DATABASE_URL = postgres.url;
    dataDir = mkdtempSync(join(tmpdir(), 'prober-'));
    target = await startTlsTarget();
    const env = { LOG_LEVEL: 'silent', ROUNDTRIP_ALLOW_PRIVATE_TARGETS: '1' };
    web = await startTestServer({ databaseUrl: postgres.url, env });
    proxy = await new FaultProxy(web.baseUrl).open();
    watched = await watch(target);
  }, 300_000);
  afterEach(() => rmSync(join(folder, 'filler'), { force: true }));
  afterAll(async () => {
    await prober?.stop();
    await proxy?.close();
    await web?.stop();
    await target?.close();
    await closeDatabase();
    await postgres?.stop();
    execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true });
    rmSync(dataDir, { recursive: true });
  });

  /** Takes all the room there is, also what PostgreSQL has taken in the meantime. */
  const fill = () => {
    const { bavail, bsize } = statfsSync(folder);
    try {
      writeFileSync(join(folder, 'filler'), Buffer.alloc(bavail * bsize), { flag: 'a' });
    } catch (error) {
      if (!String(error).includes('ENOSPC')) throw error; // PostgreSQL was faster: the disk is full all the same
    }
  };

  it('is 503 with our problem and retry-after, and costs no result', async () => {
    const log: string[] = [];
    const say = (message: string) => void log.push(message);
    const logger = { debug: say, info: say, warn: say, error: say };
    const { token } = watched;
    const watching: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (String(input).includes('/results'))
        answers.push({ status: response.status, text: await response.clone().text() });
      if (response.status === 503) expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
      return response;
    };
    const reaching = { server: proxy.url, token, allowPrivate: ['127.0.0.1'], fetch: watching };
    prober = await startProber({ ...reaching, dataDir, firstSpreadMs: 200, logger });
    await vi.waitFor(() => expect(prober?.stats().uploaded).toBeGreaterThan(1), within);
    const refusing = setInterval(fill, 100);
    try {
      await vi.waitFor(() => expect(answers.filter(({ status }) => status === 503).length).toBeGreaterThan(2), within);
    } finally {
      clearInterval(refusing);
    }
    for (const { status, text } of answers.filter(({ status }) => status !== 200)) {
      expect(status).toBe(503);
      expect(Problem.parse(JSON.parse(text)).type).toBe('urn:roundtrip:problem:unavailable');
    }
    expect(log.join('\n')).toContain('the server takes no results, keeping them: status 503');
    rmSync(join(folder, 'filler'));
    const { uploaded } = prober.stats();
    await vi.waitFor(() => expect(prober?.stats().uploaded).toBeGreaterThan(uploaded + 5), within);
    await prober.stop();
    const { started, retaken, rejected, pendingBytes } = prober.stats();
    const stored = await storedResults(watched.targetId);
    expect({ stored: stored.length, rejected, pendingBytes }).toEqual({
      stored: started + retaken,
      rejected: 0,
      pendingBytes: 0,
    });
    expect([...(await minutesOf(watched.targetId)).values()].reduce((sum, n) => sum + n, 0)).toBe(stored.length);
  }, 180_000);
});
