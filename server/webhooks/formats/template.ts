import { type Format, FormatError, type Message, urlOf } from '../outgoing.ts';
import { textOf } from '../text.ts';
import { signedHeaders } from './standard.ts';

// A template has no logic: `{{path}}` stands for a value of the message, and a path that names none is an error that says so.

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const PATH = /^[A-Za-z_][\w-]*(\.[\w-]+)*$/;
/** What a path may begin with. `title` and `text` are the message in the endpoint's language. */
const ROOTS = ['id', 'type', 'timestamp', 'incidentId', 'title', 'text', 'data'];

/** A body of the user's own, signed as Standard Webhooks. */
export const template: Format = {
  url: 'given',
  secretUrl: false,
  secret: 'standard',
  fields: ['template'],
  write: (endpoint, message, now) => {
    const text = textOf(message.payload, endpoint.language);
    const values = { ...valuesOf(message), title: text.title, text: text.lines.join('\n') };
    const json = isJson(endpoint.settings.contentType);
    const body = fillTemplate(endpoint.template ?? '', values, json);
    // Not in the parser's words, which quote the body: readers of an incident see why its message failed.
    const problem = json && jsonProblem(body) && 'look at its preview';
    if (problem) throw new FormatError(`the template does not make JSON: ${problem}`);
    const headers = {
      'content-type': endpoint.settings.contentType,
      ...signedHeaders(endpoint.secrets, message.messageId, body, now),
    };
    return { kind: 'http', url: urlOf(endpoint), headers, body, masks: [] };
  },
  groups: false,
};

function valuesOf({ messageId, incidentId, payload }: Message): Record<string, unknown> {
  return { id: messageId, incidentId, type: payload.type, timestamp: payload.timestamp, data: payload.data };
}

const isJson = (contentType: string) => /[/+]json\b/i.test(contentType);

/**
 * The template with its placeholders filled in. In JSON a text loses its own quotes and is escaped, so `"{{title}}"` is
 * written with quotes and `{{data.effectMs}}` without. Null is `null` in JSON and nothing elsewhere. Throws FormatError.
 */
export function fillTemplate(source: string, values: Record<string, unknown>, json: boolean): string {
  return source.replace(PLACEHOLDER, (placeholder, given: string) => {
    const path = given.trim();
    const problem = pathProblem(path);
    if (problem) throw new FormatError(`${placeholder} ${problem}`);
    const value = lookUp(values, path.split('.'));
    if (value === undefined) throw new FormatError(`${placeholder} names nothing in this message`);
    return json ? JSON.stringify(value).replace(/^"|"$/g, '') : plain(value);
  });
}

const plain = (value: unknown) =>
  value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** Own fields alone: a path must not reach what JavaScript hangs on every object. */
function lookUp(value: unknown, path: string[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return lookUp((value as Record<string, unknown>)[key], rest);
}

function pathProblem(path: string): string | null {
  if (!PATH.test(path)) return 'is not a path such as data.targetName';
  const [root = ''] = path.split('.');
  return ROOTS.includes(root) ? null : `begins with none of ${ROOTS.join(', ')}`;
}

/**
 * Says what is wrong with a template whatever the message, or null: a placeholder that is no path, braces that don't close,
 * or a body that is no JSON where JSON was said.
 */
export function templateProblem(source: string, contentType: string): string | null {
  for (const [placeholder, path = ''] of source.matchAll(PLACEHOLDER)) {
    const problem = pathProblem(path.trim());
    if (problem) return `${placeholder} ${problem}`;
  }
  const rest = source.replace(PLACEHOLDER, '0');
  const stray = /\{\{[^}]{0,40}/.exec(rest)?.[0];
  if (stray && !isJson(contentType)) return `${stray} does not close with }}`;
  const problem = isJson(contentType) ? jsonProblem(rest) : null;
  return problem && `is not JSON once placeholders are filled in: ${problem}`;
}

function jsonProblem(body: string): string | null {
  try {
    JSON.parse(body);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
