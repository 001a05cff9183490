import type { Answer } from '../outgoing.ts';

/**
 * Robots answer 200 to what they refuse, and say so in the body: `{"code": 19021, "msg": "sign match fail"}`. Says why the
 * answer is a failure, or null where the code is 0.
 */
export function bodyCode(answer: Answer, codes: string[], messages: string[]): string | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(answer.body);
  } catch {
    return 'answered 200 with a body that is no JSON, so not as this robot does';
  }
  if (typeof parsed !== 'object' || parsed === null) return 'answered 200 with a body that is no JSON object';
  const body = parsed as Record<string, unknown>;
  const name = codes.find((code) => code in body);
  if (name === undefined) return `answered 200 without ${codes.join(' or ')} in the body`;
  if (body[name] === 0) return null;
  const said = messages.map((key) => body[key]).find((value) => typeof value === 'string');
  return `answered 200 with ${name} ${String(body[name])}${said ? `: ${said}` : ''}`;
}
