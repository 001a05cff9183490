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
    const shown = ranked.filter(isShown);
    // The demo is shown where there is nothing else.
    const own = shown.filter(({ target }) => !target.demo);
    const numbers = new Map<string, string>();
    const numbered = <Row extends { id: string }>(row: Row): Row => {
      const number = numbers.get(row.id) ?? String(numbers.size + 1);
      numbers.set(row.id, number);
      return { ...row, id: number };
    };
    const targets = (own.length > 0 ? own : shown).map((entry) => ({
      ...entry,
      target: numbered(entry.target),
      incidents: entry.incidents.map(numbered),
    }));
    return { page, targets };
  },
);
