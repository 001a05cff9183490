import type { ComparisonDetail, ComparisonFigures, ComparisonShare } from '#contract/comparison.ts';
import { endLink, linkedId, makeLink } from '#server/access/share-links.ts';
import { findComparison } from './comparisons.ts';

/** Makes the link of a comparison; an earlier one ends. The answer alone holds its token. Throws `not_found`. */
export const shareComparison = (id: string): Promise<ComparisonShare> => makeLink('comparison', id);

/** Ends the link of a comparison, where there is one. Throws `not_found`. */
export const unshareComparison = (id: string): Promise<void> => endLink('comparison', id);

/**
 * The comparison of a link, without what identifies vantages and other targets; null for a token that is none, or whose link
 * was revoked.
 */
export async function openShared(token: string): Promise<ComparisonDetail | null> {
  const id = await linkedId('comparison', token);
  const comparison = id === null ? null : await findComparison(id);
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
