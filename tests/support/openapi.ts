import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { openApiDocument } from '#server/http/openapi.ts';

/** An answer that the OpenAPI document allows. `json` is null where the answer is none. */
export type Answer = { status: number; headers: Headers; text: string; json: unknown };
export type Ask = { key?: string; body?: unknown; headers?: Record<string, string>; raw?: BodyInit };

const document = openApiDocument();
const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
for (const format of ['uri', 'ipv4', 'ipv6', 'email']) ajv.addFormat(format, true);
ajv.addSchema({ $id: 'openapi', ...document });

/** `ask('POST', '/api/v1/targets', {...})`: a request whose answer is checked against the OpenAPI document. */
export function asker(baseUrl: string, defaultKey?: string) {
  return async (method: string, path: string, ask: Ask = {}): Promise<Answer> => {
    const { key = defaultKey, body, raw } = ask;
    const response = await fetch(baseUrl + path, {
      method,
      body: raw ?? (body === undefined ? undefined : JSON.stringify(body)),
      headers: {
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...ask.headers,
      },
      ...(raw instanceof ReadableStream ? { duplex: 'half' } : {}),
    });
    const text = await response.text();
    const answer = { status: response.status, headers: response.headers, text, json: parsed(text) };
    checkAnswer(method, path, answer);
    return answer;
  };
}
export type Asker = ReturnType<typeof asker>;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Fails the test where the document does not have this path, method, status, content type and body. */
export function checkAnswer(method: string, path: string, answer: Answer): void {
  const said = `${method} ${path} -> ${answer.status} ${answer.text.slice(0, 500)}`;
  const operation = document.paths?.[templateOf(path)]?.[method.toLowerCase() as 'get'];
  if (operation) checkBody(dereference(operation.responses?.[answer.status]), answer, said);
  else expect([204, 404, 405], said).toContain(answer.status);
}

/** What the document says against a message of a webhook; null: nothing. */
export function messageErrors(kind: 'incident' | 'comparison' | 'test' | 'group', body: unknown): unknown {
  type Message = { post: { requestBody: { content: Record<string, { schema: object }> } } };
  const { post } = (document.webhooks as Record<string, Message>)[kind] as Message;
  const validate = ajv.compile(inDocument(post.requestBody.content['application/json']?.schema ?? {}));
  validate(body);
  return validate.errors ?? null;
}

/** Whether the document's schema of this name takes a value, as a client that reads it would judge before sending. */
export const isDocumented = (name: string, value: unknown): boolean =>
  Boolean(ajv.validate({ $ref: `openapi#/components/schemas/${name}` }, value));

/** Headers that clients read: an answer has none of them that the document lacks. */
const READ_HEADERS =
  /^(content-disposition|etag|idempotency-replayed|location|ratelimit-\w+|retry-after|set-cookie|www-authenticate)$/;

type DocumentedResponse =
  | { content?: Record<string, { schema: object }>; headers?: Record<string, unknown> }
  | undefined;

function checkBody(response: DocumentedResponse, answer: Answer, said: string): void {
  expect(response, `not documented: ${said}`).toBeDefined();
  const documented = Object.keys(response?.headers ?? {}).map((name) => name.toLowerCase());
  const sent = [...answer.headers.keys()].filter((name) => READ_HEADERS.test(name));
  expect(
    sent.filter((name) => !documented.includes(name)),
    `headers that are not documented: ${said}`,
  ).toEqual([]);
  const type = answer.headers.get('content-type')?.split(';')[0] ?? '';
  const schema = response?.content?.[type]?.schema;
  if (response?.content) expect(schema, `content type ${type} is not documented: ${said}`).toBeDefined();
  else expect(answer.text, said).toBe('');
  if (!schema || !/[/+]json$/.test(type)) return;
  const validate = ajv.compile(inDocument(schema));
  validate(answer.json);
  expect(validate.errors, said).toBeNull();
}

/** Matches a path against the document's templates; a literal one wins over `{id}`. */
function templateOf(path: string): string {
  const [name = ''] = path.split('?');
  const templates = Object.keys(document.paths ?? {}).toSorted((a, b) => a.split('{').length - b.split('{').length);
  return templates.find((template) => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(name)) ?? name;
}

function dereference(response: unknown): DocumentedResponse {
  const name = (response as { $ref?: string } | undefined)?.$ref?.split('/').at(-1);
  return (name === undefined ? response : document.components?.responses?.[name]) as DocumentedResponse;
}

/** References of a part of the document are to be looked up in the whole. */
function inDocument(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components'));
}
