import type { Result } from '#contract/result.ts';
import { shownFinding, shownText, shownUrl } from '#server/access/secret-parameters.ts';
import type { Viewer } from '#server/access/secret-settings.ts';
import { stringsOf } from '#server/database/dictionary.ts';
import { vantageLabels } from '#server/vantages/labels.ts';
import { certificatesOf } from './certificates.ts';
import type { Decoding, Names } from './column-types.ts';
import { COLUMNS, FIELDS, type FieldOfResult, isSection, type ResultRow } from './columns.ts';
import { Evidence } from './evidence.ts';

const NAMED = COLUMNS.flatMap(({ column, named }) => (named ? column : []));

/** So many rows are decoded in one go: some milliseconds, after which others get their turn. */
export const DECODED_AT_ONCE = 100;

/** Rows back to Results, as they were sent (durations to a microsecond), but for secrets in URLs that the viewer may not see. */
export async function decodeRows(rows: ResultRow[], viewer: Viewer): Promise<Result[]> {
  const names = await namesOf(rows, viewer);
  return rows.map((row) => {
    const evidence = shownEvidence(Evidence.parse(row.evidence ?? {}), viewer);
    // By its type, FIELDS has every field of a Result and what it holds.
    return partOf(FIELDS, row, decodingOf(row, names, evidence)) as Result;
  });
}

/** The evidence as this viewer may see it: redirects like to repeat the address that was asked for, and findings quote servers. */
export function shownEvidence(evidence: Evidence, viewer: Viewer): Evidence {
  const { message, location, findings } = evidence;
  if (viewer === 'editor' || (!message && !location && !findings)) return evidence;
  return {
    ...evidence,
    ...(message ? { message: shownText(message) } : {}),
    ...(location ? { location: shownUrl(location) } : {}),
    ...(findings ? { findings: findings.map(shownFinding) } : {}),
  };
}

type Cells = Record<string, unknown>;

/** Looks up what rows name by ids: texts, of these columns, certificates and vantages. URLs as the viewer may see them. */
export async function namesOf(
  rows: readonly ResultRow[],
  viewer: Viewer,
  named: readonly string[] = NAMED,
): Promise<Names> {
  const texts = new Set<number>();
  const certificateIds = new Set<number>();
  for (const row of rows as readonly Cells[]) {
    for (const column of named) if (typeof row[column] === 'number') texts.add(row[column]);
    if (typeof row.certificate_id === 'number') certificateIds.add(row.certificate_id);
  }
  const [strings, certificates, vantages] = await Promise.all([
    stringsOf(texts),
    certificatesOf(certificateIds),
    vantageLabels(),
  ]);
  return { strings: viewer === 'editor' ? strings : withShownUrls(rows, texts, strings), certificates, vantages };
}

/** The texts of these ids, which are few among all that are known. */
function withShownUrls(rows: readonly ResultRow[], ids: Set<number>, strings: Names['strings']): Names['strings'] {
  const urls = new Set(rows.map((row) => row.url_id));
  const known = [...ids].flatMap((id): [number, string][] => {
    const text = strings.get(id);
    return text === undefined ? [] : [[id, urls.has(id) ? shownUrl(text) : text]];
  });
  return new Map(known);
}

/** With what the cells of a row are read. */
export function decodingOf(row: ResultRow, names: Names, evidence: Evidence | null): Decoding {
  const known = row.certificate_id === null ? undefined : names.certificates.get(row.certificate_id);
  return {
    names,
    evidence: evidence ?? {},
    certificate: known && evidence?.certificate ? { ...known, ...evidence.certificate } : (known ?? null),
  };
}

/** Whether a row lacks what is there by a column. A certificate that is no longer stored is none. */
export const isAbsent = (presentBy: string, row: Cells, { certificate }: Decoding) =>
  presentBy === 'certificate_id' ? certificate === null : row[presentBy] === null;

function partOf(fields: Record<string, FieldOfResult>, row: Cells, from: Decoding): Cells {
  const part: Cells = {};
  for (const key in fields) {
    const value = contentOf(fields[key] as FieldOfResult, row, from);
    if (value !== undefined) part[key] = value;
  }
  return part;
}

function contentOf(field: FieldOfResult, row: Cells, from: Decoding): unknown {
  if ('column' in field) {
    const value = field.read(row[field.column], from);
    return isSection(field) && value ? { ...value, ...partOf(field.fields, row, from) } : value;
  }
  if (!isSection(field)) return field.elsewhere(from);
  if (field.presentBy && isAbsent(field.presentBy, row, from)) return null;
  const part = partOf(field.fields, row, from);
  return field.parse ? field.parse.parse(part) : part;
}
