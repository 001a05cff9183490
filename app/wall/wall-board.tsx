import type { ReactNode } from 'react';
import type { RankedTarget } from '#components/target/rank.ts';
import { WallClock } from '#components/wall/wall-clock.tsx';
import { WallTiles } from '#components/wall/wall-tiles.tsx';
import type { Ui } from '#i18n/ui.ts';

/** Problems that are written out. */
const SENTENCES = 3;

type Props = {
  ui: Ui;
  targets: readonly RankedTarget[];
  problems: readonly { key: string; text: string }[];
  /** What stands beside the problems. */
  beside?: ReactNode;
  /** Whether targets lead to their pages. */
  linked: boolean;
  now: number;
};

/** For a screen that a room looks at: the state of all targets in a sentence, the worst problems, the time, a tile a target. */
export function WallBoard({ ui, targets, problems, beside, linked, now }: Props) {
  const { t } = ui;
  const troubled = targets.filter(({ urgent }) => urgent).length;
  const isMeasured = targets.some(({ target }) => target.n > 0);
  const isNew = targets.every(({ target }) => target.lastResultAt === null);
  const tone = troubled > 0 ? 'text-bad' : isMeasured ? 'text-good' : 'text-muted';
  const state =
    troubled > 0
      ? t('wall.troubled', { n: troubled })
      : isMeasured
        ? t('wall.fine', { n: targets.length })
        : t(targets.length === 0 ? 'wall.title' : isNew ? 'wall.waiting' : 'wall.quiet');
  return (
    <>
      <div className="flex flex-wrap items-baseline justify-between gap-x-8">
        <h1 className={`text-[clamp(2rem,5vw,5rem)] leading-tight ${tone}`}>{state}</h1>
        <WallClock at={now} zone={ui.timeZone} />
      </div>
      <div className={`grid items-start gap-5 ${beside ? 'lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]' : ''}`}>
        <div className="grid gap-5">
          <ul className="grid gap-4 text-[clamp(1.2rem,1.9vw,2rem)] leading-snug">
            {problems.slice(0, SENTENCES).map(({ key, text }) => (
              <li key={key} className="border-bad border-l-8 pl-4">
                {text}
              </li>
            ))}
            {problems.length > SENTENCES ? (
              <li className="text-muted">{t('brief.more', { n: problems.length - SENTENCES })}</li>
            ) : null}
          </ul>
          <WallTiles ui={ui} targets={targets} linked={linked} />
        </div>
        {beside}
      </div>
    </>
  );
}
