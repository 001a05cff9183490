import { describe, expect, it } from 'vitest';
import type { Operation } from '#contract/operation.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { answer } from '#server/api/api.ts';
import { router } from '#server/api/router.ts';
import type { Bound } from '#server/http/http.ts';
import { words } from '../support/words.ts';

const ID = '0190d7a0-0000-7000-8000-000000000001';

const ask = (method: string, path: string) => new Request(`http://127.0.0.1${path}`, { method });

/** Answers with its name and the parameters of the path. */
const bound = (name: string, method: Operation['method'], path: Operation['path']): Bound => ({
  operation: {
    id: name,
    method,
    path,
    tag: 'system',
    summary: '',
    access: 'public',
    success: { status: 200, description: '' },
  },
  answer: async (_, params) => Response.json({ name, ...params }),
});

const route = router([
  bound('one', 'get', '/api/v1/things/{id}'),
  bound('change', 'patch', '/api/v1/things/{id}'),
  bound('preview', 'post', '/api/v1/things/preview'),
  bound('parts', 'get', '/api/v1/things/{id}/parts'),
  bound('document', 'get', '/api/v1/document.json'),
]);

const json = async (method: string, path: string) => (await route(ask(method, path))).json();

describe('a path', () => {
  it('with a parameter gives it decoded, to the operation of the method', async () => {
    expect(await json('GET', '/api/v1/things/7')).toEqual({ name: 'one', id: '7' });
    expect(await json('PATCH', '/api/v1/things/a%2Fb%00')).toEqual({ name: 'change', id: 'a/b\0' });
    expect(await json('GET', '/api/v1/things/7/parts?x=1')).toEqual({ name: 'parts', id: '7' });
  });

  it('that is literal wins over a parameter, whatever the method', async () => {
    expect(await json('POST', '/api/v1/things/preview')).toEqual({ name: 'preview' });
    expect((await route(ask('GET', '/api/v1/things/preview'))).headers.get('allow')).toBe('POST, OPTIONS');
    expect(await json('GET', '/api/v1/things/previe%77')).toEqual({ name: 'one', id: 'preview' });
  });

  it.each(
    words(`
      /api/v1/things /api/v1/things/ /api/v1/things/7/ /api/v1/things/7/x /api/v1/things//parts /api/v1/thing%73/7
      /api/v1/documentxjson /x/api/v1/document.json /api/v1/Document.json
    `),
  )('of no operation is not found: %s', async (path) => {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
      const response = await route(ask(method, path));
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ detail: `There is no ${path}.` });
    }
  });
});

describe('a method', () => {
  it('is refused with those that are allowed', async () => {
    const response = await route(ask('DELETE', '/api/v1/things/7'));
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, PATCH, HEAD, OPTIONS']);
    const detail = 'DELETE is not allowed here; GET, PATCH, HEAD, OPTIONS are.';
    expect(await response.json()).toMatchObject({ detail });
  });

  it('that is HEAD is answered as GET, and refused where there is none', async () => {
    expect((await route(ask('HEAD', '/api/v1/things/7'))).status).toBe(200);
    expect((await route(ask('HEAD', '/api/v1/things/preview'))).status).toBe(405);
  });

  it('that no Request can have is refused by its name', async () => {
    const response = await route(ask('OPTIONS', '/api/v1/things/7'), 'TRACE');
    expect(response.status).toBe(405);
    expect(await response.json()).toMatchObject({
      detail: 'TRACE is not allowed here; GET, PATCH, HEAD, OPTIONS are.',
    });
  });
});

describe('the API', () => {
  it.each([...Map.groupBy(OPERATIONS, ({ path }) => path)])(
    'answers %s by its documented methods',
    async (path, all) => {
      const response = await answer(ask('OPTIONS', path.replace(/\{\w+\}/g, ID)));
      const methods = all.map(({ method }) => method.toUpperCase());
      const expected = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
      expect([response.status, response.headers.get('allow')]).toEqual([204, expected.join(', ')]);
    },
  );

  it('has no operation twice', () => {
    const places = OPERATIONS.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`);
    expect(new Set(places).size).toBe(places.length);
  });
});
