import { ifMatched, withEtag } from '#server/http/conditional.ts';
import type { Bound } from '#server/http/http.ts';
import { problem } from '#server/http/problem.ts';

/**
 * Finds who answers a request: a path of none is a 404, another method a 405 with `Allow`. The path has been put right before
 * (http/arrival.ts: its escapes can be decoded; http/server.ts: no empty segments). What is literal in a path matches as it is written.
 * `method` is the one that was asked with, also where a `Request` can have no such.
 */
export function router(bound: readonly Bound[]): (request: Request, method?: string) => Promise<Response> {
  const resources = [...Map.groupBy(bound, ({ operation }) => operation.path)]
    // A literal segment wins over a parameter.
    .sort(([one], [other]) => one.split('{').length - other.split('{').length)
    .map(([path, operations]) => ({ pattern: patternOf(path), operations }));
  return async (request, method = request.method) => {
    const { pathname } = new URL(request.url);
    for (const { pattern, operations } of resources) {
      const found = pattern.exec(pathname);
      if (found) return await answer(operations, request, method, decoded(found.groups));
    }
    return problem('not_found', `There is no ${pathname}.`);
  };
}

/** Of `/api/v1/targets/{id}`: an expression with a group for each parameter. */
const patternOf = (path: string) =>
  new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);

const decoded = (groups: Record<string, string> = {}) =>
  Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decodeURIComponent(text)]));

/** By one of the operations of a path. */
async function answer(
  operations: Bound[],
  request: Request,
  method: string,
  params: Record<string, string>,
): Promise<Response> {
  const methods = operations.map(({ operation }) => operation.method.toUpperCase());
  const found = operations[methods.indexOf(method === 'HEAD' ? 'GET' : method)];
  const read = operations[methods.indexOf('GET')];
  if (found && found === read) return await withEtag(request, await found.answer(request, params));
  if (found && read && method !== 'POST')
    return await found.answer(request, params, (change) =>
      ifMatched(request, (again) => read.answer(again, params), change),
    );
  if (found) return await found.answer(request, params);
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } });
  const detail = `${method} is not allowed here; ${allow} are.`;
  return problem('method_not_allowed', detail, undefined, { allow });
}
