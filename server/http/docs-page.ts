import { readFile } from 'node:fs/promises';
import path from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { problem } from './problem.ts';
import { nonceOf } from './security-headers.ts';

// `/api/docs`: the OpenAPI document to read and to try in a browser, by Swagger UI, everything from this server. It is a page for people and
// no operation: the table, and so the document, lacks it. The build has no other files of the package (next.config.ts).

const DOCS = '/api/docs';
const FILES: Record<string, string> = { 'swagger-ui.css': 'text/css', 'swagger-ui-bundle.js': 'text/javascript' };
/** Each version of the package has addresses of its own: what is kept is never that of another. */
const addressOf = (file: keyof typeof FILES) => `${DOCS}/${file}?v=${manifest.dependencies['swagger-ui-dist']}`;

/** A validator on another host is Swagger UI's default. A key that is typed in is forgotten with the page; a session's cookie is sent as ever. */
const START = `
const theme = /(?:^|; )theme=(\\w+)/.exec(document.cookie)?.[1];
const isDark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.classList.toggle('dark-mode', isDark);
SwaggerUIBundle({
  url: '/api/v1/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  filter: true,
  validatorUrl: null,
});`;

const page = (nonce = '') => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Roundtrip API</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${addressOf('swagger-ui.css')}" nonce="${nonce}">
</head>
<body>
<main id="docs"></main>
<script src="${addressOf('swagger-ui-bundle.js')}" nonce="${nonce}"></script>
<script nonce="${nonce}">${START}</script>
</body>
</html>
`;

/** The answer to a request for `/api/docs` and the files that it loads, a problem where it is none; null to any other request. */
export async function answerDocs(request: Request, method: string): Promise<Response | null> {
  const { pathname } = new URL(request.url);
  if (pathname !== DOCS && !pathname.startsWith(`${DOCS}/`)) return null;
  const file = pathname.slice(DOCS.length + 1);
  const type = pathname === DOCS ? 'text/html' : Object.hasOwn(FILES, file) ? FILES[file] : undefined;
  if (type === undefined) return problem('not_found', `There is no ${pathname}.`);
  if (method !== 'GET' && method !== 'HEAD')
    return problem('method_not_allowed', `${method} is not allowed here; GET, HEAD are.`, undefined, {
      allow: 'GET, HEAD',
    });
  const headers = { 'content-type': `${type}; charset=utf-8` };
  if (pathname !== DOCS)
    return new Response(
      await readFile(path.join(/* turbopackIgnore: true */ process.cwd(), 'node_modules/swagger-ui-dist', file)),
      {
        headers: { ...headers, 'cache-control': 'public, max-age=31536000, immutable' },
      },
    );
  const nonce = nonceOf(request.headers.get('content-security-policy'));
  return new Response(page(nonce), { headers: { ...headers, 'cache-control': 'no-store' } });
}
