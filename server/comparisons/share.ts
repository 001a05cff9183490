import type { ComparisonDetail, ComparisonFigures, ComparisonShare } from '#contract/comparison.ts';
import { hashSecret, mintSecret } from '#server/access/secrets.ts';
import { getPrisma } from '#server/database/database.ts';
import { findShared, noComparison } from './comparisons.ts';

/** Makes the link of a comparison; an earlier one ends. The answer alone holds its token. Throws `not_found`. */
export async function shareComparison(id: string): Promise<ComparisonShare> {
  const token = mintSecret('rtc');
  await setHash(id, hashSecret(token));
  return { path: `/shared/${token}` };
}

/** Ends the link of a comparison, where there is one. Throws `not_found`. */
export async function unshareComparison(id: string): Promise<void> {
  await setHash(id, null);
}

async function setHash(id: string, shareHash: Uint8Array<ArrayBuffer> | null): Promise<void> {
  const { count } = await getPrisma().comparison.updateMany({ where: { id }, data: { shareHash } });
  if (count === 0) throw noComparison(id);
}

/**
 * The comparison of a link, without what identifies vantages and other targets; null for a token that is none, or whose link
 * was revoked.
 */
export async function openShared(token: string): Promise<ComparisonDetail | null> {
  const comparison = /^rtc_[\w-]{43}$/.test(token) ? await findShared(hashSecret(token)) : null;
  return (
    comparison && { ...comparison, createdBy: '', figures: comparison.figures && withoutNames(comparison.figures) }
  );
}

/** A vantage is its region and carrier; ids are numbers that hold within this answer alone. */
function withoutNames(figures: ComparisonFigures): ComparisonFigures {
  const unnamed = <Row extends { id: string; name: string }>(rows: Row[]) =>
    rows.map((row, index) => ({ ...row, id: String(index + 1), name: '' }));
  const { controls } = figures;
  return {
    ...figures,
    vantages: unnamed(figures.vantages),
    onlyBefore: unnamed(figures.onlyBefore),
    onlyAfter: unnamed(figures.onlyAfter),
    controls: { ...controls, others: unnamed(controls.others) },
  };
}
