import type { Silence } from '#contract/silence.ts';
import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { actorName } from '../incident/actor.ts';
import { Badge, ManagedBadge } from '../ui/badge.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { scopeText, separator } from './rule-text.ts';

type Action = (form: FormData) => Promise<void>;
type Props = { ui: Ui; silences: Silence[]; names: Map<string, string>; remove: Action | null };

/** All silences: what they hold back, when, and whether they do so now. */
export function SilenceTable({ ui, silences, names, remove }: Props) {
  const { t } = ui;
  return (
    <Table
      label={t('silences.title')}
      className="panel"
      rows={silences}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'what',
          head: t('silences.what'),
          cell: (silence) => (
            <>
              {scopeText(ui, silence, names)}
              <span className="block font-normal text-[0.86rem] text-muted">
                {silence.kinds.map((kind) => t(`incident.kind.${kind}`)).join(separator(ui)) || t('incidents.anyKind')}
              </span>
            </>
          ),
          rowHead: true,
          className: 'min-w-40 whitespace-normal',
        },
        { key: 'when', head: t('silences.when'), cell: (silence) => <When ui={ui} silence={silence} /> },
        {
          key: 'state',
          head: t('common.state'),
          cell: (silence) => <State ui={ui} silence={silence} />,
          className: 'whitespace-nowrap',
        },
        {
          key: 'comment',
          head: t('silences.comment'),
          cell: ({ comment, managed }) => (
            <>
              {comment} {managed ? <ManagedBadge ui={ui} /> : null}
            </>
          ),
          className: 'min-w-40',
        },
        {
          key: 'createdBy',
          head: t('silences.createdBy'),
          cell: ({ createdBy }) => actorName(ui, createdBy),
          className: 'whitespace-nowrap',
        },
        remove && {
          key: 'actions',
          head: t('common.actions'),
          hiddenHead: true,
          cell: ({ id, comment, managed }) => (
            <Confirm
              ui={ui}
              id={`remove-${id}`}
              label={t('common.remove')}
              name={comment}
              text={t('silences.removeConfirm')}
              managed={managed}
              action={remove}
              fields={{ id }}
              className="link"
            />
          ),
        },
      ]}
    />
  );
}

function When({ ui, silence: { startsAt, endsAt, cron, durationMinutes, timeZone } }: { ui: Ui; silence: Silence }) {
  const { t } = ui;
  return (
    <>
      <span className="whitespace-nowrap">
        <Time ui={ui} at={startsAt} detail="minute" /> <span aria-hidden="true">→</span>{' '}
        {endsAt ? <Time ui={ui} at={endsAt} detail="minute" /> : t('silences.forever')}
      </span>
      {cron ? (
        <span className="block whitespace-nowrap text-[0.86rem] text-muted">
          {t('silences.repeats', { cron, minutes: durationMinutes ?? 0, zone: timeZone })}
        </span>
      ) : null}
    </>
  );
}

function State({ ui, silence: { active, nextAt } }: { ui: Ui; silence: Silence }) {
  const { t } = ui;
  if (active) return <Badge tone="warn">{t('silences.active')}</Badge>;
  if (nextAt === null) return <Badge>{t('silences.over')}</Badge>;
  return <Badge>{t('silences.waiting', { time: formatTime(nextAt, ui.timeZone, 'minute') })}</Badge>;
}
