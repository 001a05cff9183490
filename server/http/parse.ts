import type { z } from 'zod';
import { isStorable } from '#contract/bounds.ts';
import { type FieldError, ServiceError } from '#server/environment/errors.ts';

type Part = 'body' | 'query' | 'path' | 'headers';

/** Parses one part of a request. Throws ServiceError `invalid` that names every bad field. */
export function parsePart<S extends z.ZodType>(schema: S, value: unknown, part: Part): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues.flatMap((issue) => fieldErrors(issue, part)));
}

/**
 * As `parsePart`, and refuses text that PostgreSQL cannot hold: NUL and halves of surrogate pairs. Not for a prober's
 * batch, where one odd server name must not cost the others and such characters are replaced.
 */
export function parseStorable<S extends z.ZodType>(schema: S, value: unknown, part: Part): z.output<S> {
  const data = parsePart(schema, value, part);
  const field = unstorable(data, []);
  if (field) throw invalid([{ field: field.join('.') || part, message: 'holds a character that is no text' }]);
  return data;
}

/** The path of the first text that cannot be stored, or null. */
function unstorable(value: unknown, path: string[]): string[] | null {
  if (typeof value === 'string') return isStorable(value) ? null : path;
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const found = unstorable(inner, [...path, key]);
    if (found) return found;
  }
  return null;
}

/** A query string as an object. Throws ServiceError `invalid` for a parameter that is given twice. */
export function queryObject(search: URLSearchParams): Record<string, string> {
  const query: Record<string, string> = Object.create(null);
  for (const [name, value] of search) {
    if (name in query) throw invalid([{ field: name, message: 'is given more than once' }]);
    query[name] = value;
  }
  return { ...query };
}

function invalid(fields: FieldError[]): ServiceError {
  const detail = fields.map(({ field, message }) => `${field} ${message}`).join('; ');
  return new ServiceError('invalid', detail, fields);
}

const UNKNOWN = {
  body: 'is not a known field',
  query: 'is not a known parameter',
  path: 'is not a known parameter',
  headers: 'is not a known header',
};

function fieldErrors(issue: z.core.$ZodIssue, part: Part): FieldError[] {
  // A list in a query string is one parameter, whichever of its items is wrong.
  const path = issue.path.map(String).slice(0, part === 'query' ? 1 : undefined);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ field: [...path, key].join('.'), message: UNKNOWN[part] }));
  }
  return [{ field: path.join('.') || part, message: sentence(messageOf(issue)) }];
}

/** Zod says but «Invalid input» of a value that fits none of several kinds: what each of them would have is told instead. */
function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_union') return issue.message;
  const kinds = issue.errors.flatMap((inner) => inner.slice(0, 1)).map(messageOf);
  const wanted = [...new Set(kinds)].filter((kind) => !kind.endsWith('expected null'));
  return (
    wanted.map((kind, index) => (index === 0 ? kind : lowered(kind.replace('Invalid input: ', '')))).join(', or ') ||
    issue.message
  );
}

/** Zod's «Invalid input: expected string» after a field name: «url: Invalid input ...» reads as a sentence with a colon. */
function sentence(message: string): string {
  return /^[A-Z]/.test(message) ? `is wrong: ${lowered(message)}` : message;
}

const lowered = (text: string) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
