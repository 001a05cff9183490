import { describe, expect, it } from 'vitest';
import { serverArguments } from '#cli/database/postgres/settings.ts';
import { memoryMib, shareOf } from '#cli/memory.ts';
import { jobsHeapMib, webNodeArgs } from '#cli/start/heaps.ts';

const GIB = 1024 ** 3;

describe('the memory that there is', () => {
  it('is the limit of the container where that is less than the machine has', () => {
    expect(memoryMib(8 * GIB, 1 * GIB)).toBe(1_024);
    expect(memoryMib(1 * GIB, 8 * GIB)).toBe(1_024);
  });

  it('is the machine where nothing limits it, which Node says as 0 or as a number beyond any machine', () => {
    expect(memoryMib(8 * GIB, 0)).toBe(8_192);
    expect(memoryMib(8 * GIB, 2 ** 63)).toBe(8_192);
  });

  it('is shared within bounds', () => {
    expect(shareOf(1_000, 1 / 10, [64, 1_024])).toBe(100);
    expect(shareOf(100, 1 / 10, [64, 1_024])).toBe(64);
    expect(shareOf(100_000, 1 / 10, [64, 1_024])).toBe(1_024);
  });
});

const postgres = (memory: number) =>
  Object.fromEntries(
    serverArguments('/cluster', 5432, memory)
      .filter((each) => each.includes('='))
      .map((each) => each.split('=') as [string, string]),
  );

describe('on a machine of 1 GB', () => {
  it('PostgreSQL keeps a tenth of the memory in its buffers, and queries take little', () => {
    expect(postgres(1_024)).toMatchObject({
      shared_buffers: '102MB',
      effective_cache_size: '512MB',
      work_mem: '4MB',
      maintenance_work_mem: '32MB',
      jit: 'off',
    });
  });

  it('the heaps of pages and jobs and the buffers fit into it together', () => {
    const web = Number(/--max-old-space-size=(\d+)/.exec(webNodeArgs(1_024).join(' '))?.[1]);
    expect(web).toBe(256);
    expect(jobsHeapMib(1_024)).toBe(461);
    expect(web + jobsHeapMib(1_024) + 102).toBeLessThan(1_024);
  });
});

describe('on a large machine', () => {
  it('nothing grows beyond what helps', () => {
    expect(postgres(256 * 1_024)).toMatchObject({ shared_buffers: '1024MB', work_mem: '32MB' });
    expect(webNodeArgs(256 * 1_024)).toEqual(['--max-old-space-size=2048', '--max-semi-space-size=64']);
    expect(jobsHeapMib(256 * 1_024)).toBe(4_096);
  });
});
