import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, vi } from 'vitest';
import { extent, isLong } from '../support/extent.ts';
import { end, contractTest as test, within } from '../support/prober-scene.ts';

describe.concurrent('the prober as a process', () => {
  test.runIf(isLong)(
    'loses at most the last second to a kill -9, and sends nothing twice',
    async ({ scene: { bench, server, target } }) => {
      for (let count = 0; count < 5; count += 1) server.put(target.check());
      const first = bench.spawn();
      expect(await once(first, 'message')).toEqual([{ ready: true }, undefined]);
      await server.close();
      await vi.waitFor(() => expect(target.handshakes.length).toBeGreaterThan(15), within);
      const killedAt = Date.now();
      await end(first, 'SIGKILL');
      await server.open();
      const older = () => [...server.results.values()].filter(({ startedAt }) => Date.parse(startedAt) <= killedAt);
      const safe = target.handshakes.filter((at) => at < killedAt - 1_000).length;
      bench.spawn();
      await server.until(() => server.results.size > older().length);
      expect(older().length).toBeGreaterThanOrEqual(safe);
      expect(safe).toBeGreaterThan(5);
      expect(server.duplicates).toBe(0);
      expect(server.enrolments).toBe(1);
    },
  );

  test.runIf(isLong)(
    'sends again what a kill -9 left without an answer, under the same ids',
    async ({ scene: { bench, server, target } }) => {
      server.put(target.check());
      server.losesAnswers = true;
      const first = bench.spawn();
      await server.until(() => server.results.size > 0);
      await end(first, 'SIGKILL');
      const before = [...server.results.keys()];
      server.losesAnswers = false;
      bench.spawn();
      await server.until(() => server.results.size > before.length);
      expect(server.duplicates).toBeGreaterThan(0);
    },
  );

  test.for(extent<NodeJS.Signals[]>(['SIGTERM'], ['SIGTERM', 'SIGINT']))(
    'stops on %s with status 0 and has uploaded all it measured',
    async (signal, { scene: { bench, server, target } }) => {
      server.put(target.check());
      const child = bench.spawn();
      await server.until(() => server.results.size > 0);
      const exit = once(child, 'exit');
      child.kill(signal);
      expect(await exit).toEqual([0, null]);
      expect(server.results.size).toBe(target.handshakes.length);
    },
  );

  test.runIf(isLong)('stops when the process that started it goes away', async ({ scene: { bench } }) => {
    const child = bench.spawn();
    await once(child, 'message');
    const exit = once(child, 'exit');
    child.disconnect();
    expect(await exit).toEqual([0, null]);
  });

  test('ends with status 1 and a sentence when the server refuses its token', async ({ scene: { bench } }) => {
    const child = bench.spawn({ token: 'rte_never-made-here' });
    const [[status], said] = await Promise.all([once(child, 'exit'), child.stderr ? text(child.stderr) : '']);
    expect(status).toBe(1);
    expect(said).toContain('roundtrip: The server refuses the enrolment token');
  });
});
