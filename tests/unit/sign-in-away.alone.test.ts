import { afterAll, expect, it, vi } from 'vitest';
import { POST } from '#app/sign-in/route.ts';
import { closeDatabase } from '#server/database/database.ts';

afterAll(async () => {
  await closeDatabase();
  vi.unstubAllEnvs();
});

it('a database that is away brings the login form back, which says so and keeps the link', async () => {
  // Nobody listens there.
  vi.stubEnv('DATABASE_URL', 'postgresql://nobody:secret@127.0.0.1:1/none');
  const origin = 'http://roundtrip.example';
  const body = new URLSearchParams({ password: 'any', next: '/incidents?state=all' });
  const headers = { origin, host: 'roundtrip.example' };
  const answer = await POST(new Request(`${origin}/sign-in`, { method: 'POST', body, headers }));
  expect(answer.status).toBe(303);
  expect(answer.headers.get('location')).toBe('/login?next=%2Fincidents%3Fstate%3Dall&problem=away');
  expect(answer.headers.getSetCookie()).toEqual([]);
});
