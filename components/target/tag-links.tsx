import type { Ui } from '#i18n/ui.ts';
import { ChoiceLinks } from '../filters/choice-links.tsx';
import { type Board, boardHref } from './board.ts';

/** So many tags are offered; a search finds the others. */
const OFFERED = 12;

/** All targets, or those with one tag; nothing where there are no tags. */
export function TagLinks({ ui: { t }, board, tags }: { ui: Ui; board: Board; tags: readonly string[] }) {
  if (tags.length === 0 && board.tag === null) return null;
  const offered = tags.slice(0, OFFERED);
  if (board.tag !== null && !offered.includes(board.tag)) offered.push(board.tag);
  const choices = [null, ...offered].map((tag) => ({
    key: tag ?? '',
    href: boardHref(board, { tag }),
    text: tag ?? t('board.allTags'),
    current: tag === board.tag,
  }));
  return (
    <div className="mb-3">
      <ChoiceLinks label={t('targetForm.tags')} shown choices={choices} />
    </div>
  );
}
