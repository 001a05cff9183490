import Link from 'next/link';
import type { ReactNode } from 'react';
import { formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import type { RankedTarget } from '../target/rank.ts';

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
export function WallTiles({ ui, targets, linked }: { ui: Ui; targets: readonly RankedTarget[]; linked: boolean }) {
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
