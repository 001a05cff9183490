import type { z } from 'zod';
import { type FieldError, ServiceError } from '../errors.ts';

type Part = 'body' | 'query' | 'path';

/** Parses one part of a request. Throws ServiceError `invalid` that names every bad field. */
export function parsePart<S extends z.ZodType>(schema: S, value: unknown, part: Part): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues.flatMap((issue) => fieldErrors(issue, part)));
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

const UNKNOWN = { body: 'is not a known field', query: 'is not a known parameter', path: 'is not a known parameter' };

function fieldErrors(issue: z.core.$ZodIssue, part: Part): FieldError[] {
  // A list in a query string is one parameter, whichever of its items is wrong.
  const path = issue.path.map(String).slice(0, part === 'query' ? 1 : undefined);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ field: [...path, key].join('.'), message: UNKNOWN[part] }));
  }
  return [{ field: path.join('.') || part, message: sentence(issue.message) }];
}

/** Zod's «Invalid input: expected string» after a field name: «url: Invalid input ...» reads as a sentence with a colon. */
function sentence(message: string): string {
  return /^[A-Z]/.test(message) ? `is wrong: ${message.charAt(0).toLowerCase()}${message.slice(1)}` : message;
}
