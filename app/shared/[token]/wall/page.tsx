import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { described } from '#components/incident/incident-text.ts';
import { problemLines } from '#components/target/problem-list.tsx';
import { LiveRefresh } from '#components/ui/live-refresh.tsx';
import { needsLook } from '#contract/incident-parts.ts';
import { kindText } from '#i18n/incident.ts';
import { openPage } from '../../../access.ts';
import { valueOrTrouble } from '../../../page-trouble.tsx';
import { requestUi } from '../../../request-ui.ts';
import { WallBoard } from '../../../wall/wall-board.tsx';
import { openStatus } from '../../open-status.ts';

type Props = { params: Promise<{ token: string }> };

/** No robot is to list it. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const [{ t }, status] = await Promise.all([requestUi(), valueOrTrouble(openStatus((await params).token), null)]);
  return {
    title: status ? status.page.title : t('notFound.title'),
    robots: { index: false, follow: false },
    referrer: 'same-origin',
  };
}

/** A status page on a screen that a room looks at, which nobody has to sign in for. */
export default openPage(async function SharedWallPage({ params }: Props) {
  const [ui, status] = await Promise.all([requestUi(), openStatus((await params).token)]);
  if (!status) notFound();
  const { page, targets } = status;
  const now = Date.now();
  const { t } = ui;
  const troubled = targets.filter(({ urgent }) => urgent);
  const looked = troubled.flatMap(({ target: { name }, incidents }) =>
    incidents.filter((incident) => needsLook(incident, now)).map((incident) => ({ name, incident })),
  );
  const problems = [
    ...[...Map.groupBy(looked, ({ incident }) => incident.id)].flatMap(([key, same]) => {
      const names = same.map(({ name }) => name).join(t('punctuation.list'));
      return same.slice(0, 1).map(({ incident }) => ({
        key,
        text: [names, kindText(ui, incident), described(ui, incident, now).brief].join(t('punctuation.colon')),
      }));
    }),
    ...problemLines(ui, troubled, now),
  ];
  return (
    <div data-wall className="grid gap-5">
      <p className="text-[1.6rem]">{page.title}</p>
      <WallBoard ui={ui} targets={targets} problems={problems} linked={false} now={now} />
      <LiveRefresh seconds={20} />
    </div>
  );
});
