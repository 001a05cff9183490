import { afterEach, expect, test, vi } from 'vitest';
import { onFreshDatabase } from '../bench/database.ts';
import { isLong } from '../support/extent.ts';

const url = process.env.DATABASE_URL;

afterEach(() => {
  vi.restoreAllMocks();
  if (url === undefined) delete process.env.DATABASE_URL;
  else process.env.DATABASE_URL = url;
});

test.runIf(isLong)(
  'benches measure a database that keeps what it has committed, and say so above their figures',
  async () => {
    const lines: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    await onFreshDatabase(async () => {});
    expect(lines.join('')).toMatch(
      /^PostgreSQL 18\.\d+: fsync on, full_page_writes on, synchronous_commit on, wal_compression pglz\n$/,
    );
  },
);
