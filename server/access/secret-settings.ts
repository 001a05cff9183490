import type { ProbeRequestSettings, ProbeSettings } from '#contract/target.ts';
import { isSecretHeader, MASK } from '#contract/target-secrets.ts';
import { invalidField } from '#server/environment/errors.ts';

/** For whom settings are shown: somebody who may change them, or a mere reader (also of a public dashboard). */
export type Viewer = 'editor' | 'reader';

type Header = ProbeRequestSettings['headers'][number];

/** Headers that never hold one; a mere reader sees the values of no others. */
const HARMLESS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-type',
  'origin',
  'pragma',
  'range',
  'user-agent',
]);

/** The settings as they may leave the server for this viewer. Probers, which need all of them, get the stored ones. */
export function shownSettings(settings: ProbeSettings, viewer: Viewer): ProbeSettings {
  const { clientCertificate: client, request } = settings;
  return {
    ...settings,
    clientCertificate: client && { certPem: client.certPem, keyPem: null },
    request: {
      ...request,
      headers: request.headers.map((header) => (isHidden(header, viewer) ? { ...header, value: MASK } : header)),
      body: request.body !== null && viewer === 'reader' ? MASK : request.body,
    },
  };
}

function isHidden(header: Header, viewer: Viewer): boolean {
  return isSecretHeader(header) || (viewer === 'reader' && !HARMLESS.has(header.name.toLowerCase()));
}

/**
 * The request with the stored values where the mask was given back. Throws `invalid` where none is stored, and where the
 * request is to go to another place: who may change a target may not read its secrets, so may not have them sent elsewhere.
 */
export function unmaskedRequest(
  given: ProbeRequestSettings,
  stored: ProbeRequestSettings | null,
  moved = false,
): ProbeRequestSettings {
  const headers = given.headers.map((header, index): Header => {
    if (header.value !== MASK) return header;
    const before = given.headers.slice(0, index).filter(sameName(header)).length;
    const kept = stored?.headers.filter(sameName(header))[before];
    const field = `settings.request.headers.${index}.value`;
    if (!kept) throw maskRefused(field);
    if (isSecretHeader(kept) && !isSecretHeader(header)) throw invalidField(field, UNMARKED);
    if (moved) throw invalidField(field, MOVED);
    return { ...header, value: kept.value };
  });
  if (given.body !== MASK) return { ...given, headers };
  if (typeof stored?.body !== 'string') throw maskRefused('settings.request.body');
  return { ...given, headers, body: stored.body };
}

const sameName = (header: Header) => (other: Header) => other.name.toLowerCase() === header.name.toLowerCase();

const UNMARKED = `is the mask (${MASK}) of a value that is marked as secret: leave it marked, or give the value itself`;

const MOVED = `is kept for the place where the target was (${MASK}): give the value itself where its origin, address or resolver changes`;

const maskRefused = (field: string) =>
  invalidField(field, `is the mask of a value (${MASK}), and none is stored in its place: give the value itself`);
