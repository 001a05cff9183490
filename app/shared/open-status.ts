import { cache } from 'react';
import type { RankedTarget } from '#components/target/rank.ts';
import type { StatusPage } from '#contract/status-page.ts';
import { linkedStatusPage } from '#server/targets/status-pages.ts';
import { currentBoard } from '../board.ts';

const DAY_MS = 86_400_000;

/**
 * The status page of a link, with its targets that are measured, the worst first; null for a token that opens none. Ids are numbers that
 * hold within this page alone.
 */
export const openStatus = cache(
  async (token: string): Promise<{ page: StatusPage; targets: RankedTarget[] } | null> => {
    const page = await linkedStatusPage(token);
    if (!page) return null;
    const { ranked } = await currentBoard(Date.now() - DAY_MS);
    const isShown = ({ target }: RankedTarget) =>
      target.enabled && (page.tag === null || target.tags.includes(page.tag));
    const numbered = <Row extends { id: string }>(row: Row, index: number): Row => ({ ...row, id: String(index + 1) });
    const targets = ranked.filter(isShown).map((entry, index) => ({
      ...entry,
      target: numbered(entry.target, index),
      incidents: entry.incidents.map(numbered),
    }));
    return { page, targets };
  },
);
