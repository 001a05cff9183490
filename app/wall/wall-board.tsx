import Link from 'next/link';
import type { ReactNode } from 'react';
import type { RankedTarget } from '#components/target/rank.ts';
import { WallClock } from '#components/wall/wall-clock.tsx';
import { formatQuantity } from '#i18n/numbers.ts';
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

/** A name, which leads to the page of its target where there is an `id`. */
const NameOf = ({ id, children }: { id: string | null; children: ReactNode }) =>
  id === null ? (
    <span className="block truncate text-[1.1rem]">{children}</span>
  ) : (
    <Link href={`/targets/${id}`} prefetch={false} className="block truncate text-[1.1rem]">
      {children}
    </Link>
  );

/** At most so many fit a screen. */
const TILES = 60;

/** A tile a target: its name, the TLS median of the last hour, and a sign and a red edge where somebody should look; how many are left out. */
function WallTiles({ ui, targets, linked }: { ui: Ui; targets: readonly RankedTarget[]; linked: boolean }) {
  return (
    <ul className="grid grid-cols-[repeat(auto-fill,minmax(11rem,1fr))] gap-3">
      {targets.slice(0, TILES).map(({ target, urgent, incidents, trouble }) => {
        const edge = urgent
          ? 'border-l-bad'
          : incidents.length + trouble.length > 0
            ? 'border-l-warn'
            : 'border-l-good';
        return (
          <li key={target.id} className={`panel min-w-0 border-l-8 px-4 py-2 ${edge}`}>
            <NameOf id={linked ? target.id : null}>
              {urgent ? <span className="text-bad">! </span> : null}
              {target.name}
            </NameOf>
            <span className="text-[1.7rem] tabular-nums">{formatQuantity(ui, target.p50, 'ms')}</span>
          </li>
        );
      })}
      {targets.length > TILES ? (
        <li className="self-center text-muted">{ui.t('brief.more', { n: targets.length - TILES })}</li>
      ) : null}
    </ul>
  );
}
