import { z } from 'zod';
import { isStorable, rfc3339 } from '#contract/bounds.ts';
import { type VantageLabels, vantageRef } from '#server/vantages/labels.ts';

const Fields = z.record(z.string(), z.unknown());
type Fields = z.infer<typeof Fields>;

/**
 * A result as another program than our prober may send it, in the one form that is stored: any RFC 3339 time in UTC with
 * milliseconds, `demo` left out (the target tells it), the vantage by its id alone, or left out where the prober serves
 * just one. NUL and halves of surrogate pairs, which no database column takes, become U+FFFD: a stranger's certificate or
 * header must not cost the result. What is not understood stays as it is, for the schema to refuse by name.
 */
export function normalise(
  sent: unknown,
  vantageIds: readonly string[],
  vantages: ReadonlyMap<string, VantageLabels>,
): unknown {
  const result = Fields.safeParse(storable(sent)).data;
  if (!result) return sent;
  return {
    demo: false,
    ...result,
    startedAt: inUtc(result.startedAt),
    vantage: placed(result.vantage, vantageIds, vantages),
    tls: change(result.tls, (tls) => ({
      ...tls,
      certificate: change(timesInUtc(tls.certificate, VALIDITY), (certificate) => ({
        ...certificate,
        ...(certificate.sent === undefined ? {} : { sent: chainInUtc(certificate.sent) }),
      })),
      staple: timesInUtc(tls.staple, ['producedAt', 'thisUpdate', 'nextUpdate']),
    })),
  };
}

/** A Result's texts stand no deeper than this; what a stranger nests deeper is of no field. */
const MAX_DEPTH = 8;

function storable(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return isStorable(value) ? value : value.toWellFormed().replaceAll('\0', '\uFFFD');
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => storable(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, storable(field, depth + 1)]));
}

function placed(given: unknown, vantageIds: readonly string[], vantages: ReadonlyMap<string, VantageLabels>): unknown {
  const [only] = vantageIds.length === 1 ? vantageIds : [];
  const place = given ?? (only === undefined ? null : { id: only });
  return change(place, (fields) => {
    const known = vantages.get(String(fields.id).toLowerCase());
    return known ? { ...vantageRef(known), ...fields } : fields;
  });
}

const change = (value: unknown, to: (fields: Fields) => unknown) => {
  const fields = Fields.safeParse(value).data;
  return fields ? to(fields) : value;
};

const VALIDITY = ['notBefore', 'notAfter'];

const chainInUtc = (sent: unknown) =>
  change(sent, (chain) => ({
    ...chain,
    certificates: Array.isArray(chain.certificates)
      ? chain.certificates.map((certificate) => timesInUtc(certificate, VALIDITY))
      : chain.certificates,
  }));

const timesInUtc = (value: unknown, names: string[]) =>
  change(value, (fields) => ({
    ...fields,
    ...Object.fromEntries(names.filter((name) => name in fields).map((name) => [name, inUtc(fields[name])])),
  }));

function inUtc(value: unknown): unknown {
  const time = rfc3339.safeParse(value);
  const at = time.success ? new Date(time.data) : null;
  return at === null || Number.isNaN(at.getTime()) ? value : at.toISOString();
}
