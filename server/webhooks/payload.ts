import { MAX_PAYLOAD_BYTES, type WebhookPayload } from '#contract/webhook-event.ts';

/**
 * The payload in fewer bytes than a message may have. Lists are cut, the longest first, and what was left out is counted
 * beside them: `cells` of 900 become the first of them and `cellsOmitted`. Texts are cut only where that is not enough.
 */
export function fitPayload(payload: WebhookPayload, maxBytes = MAX_PAYLOAD_BYTES): WebhookPayload {
  const fitted = structuredClone(payload);
  while (sizeOf(fitted) >= maxBytes && halveLongestList(fitted.data)) {
    // Each turn halves one list, so this ends.
  }
  while (sizeOf(fitted) >= maxBytes && halveLongestText(fitted.data)) {
    // Each turn halves one text, down to a few characters.
  }
  return fitted;
}

/** Bytes of the JSON in UTF-8. */
export const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

type Place = { owner: Record<string, unknown>; key: string; size: number };

function halveLongestList(data: Record<string, unknown>): boolean {
  const place = longest(data, (value) => (Array.isArray(value) && value.length > 0 ? sizeOf(value) : 0));
  if (!place) return false;
  const list = place.owner[place.key] as unknown[];
  const kept = Math.floor(list.length / 2);
  const omitted = `${place.key}Omitted`;
  const before = place.owner[omitted];
  place.owner[place.key] = list.slice(0, kept);
  place.owner[omitted] = list.length - kept + (typeof before === 'number' ? before : 0);
  return true;
}

const SHORTEST_CUT = 40;

function halveLongestText(data: Record<string, unknown>): boolean {
  const place = longest(data, (value) => (typeof value === 'string' && value.length > SHORTEST_CUT ? value.length : 0));
  if (!place) return false;
  const text = place.owner[place.key] as string;
  place.owner[place.key] = `${text.slice(0, Math.floor(text.length / 2)).toWellFormed()}…`;
  return true;
}

/** The field of the object, or of one inside it, that `measure` finds largest; lists inside lists go with their list. */
function longest(owner: Record<string, unknown>, measure: (value: unknown) => number): Place | null {
  let found: Place | null = null;
  for (const [key, value] of Object.entries(owner)) {
    const size = measure(value);
    if (size > (found?.size ?? 0)) found = { owner, key, size };
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    const inner = longest(value as Record<string, unknown>, measure);
    if (inner && inner.size > (found?.size ?? 0)) found = inner;
  }
  return found;
}
