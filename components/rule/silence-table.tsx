import type { Silence } from '#contract/silence.ts';
import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge } from '../ui/badge.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { ScrollBox } from '../ui/scroll-box.tsx';
import { Time } from '../ui/time.tsx';
import { scopeText, separator } from './words.ts';

type Action = (form: FormData) => Promise<void>;
type Props = { ui: Ui; silences: Silence[]; names: Map<string, string>; remove: Action | null };

/** All silences: what they hold back, when, and whether they do so now. */
export function SilenceTable({ ui, silences, names, remove }: Props) {
  const { t } = ui;
  return (
    <ScrollBox label={t('silences.title')} className="panel">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t('silences.what')}</th>
            <th scope="col">{t('silences.when')}</th>
            <th scope="col">{t('common.state')}</th>
            <th scope="col">{t('silences.comment')}</th>
            <th scope="col">{t('silences.createdBy')}</th>
            {remove ? (
              <th scope="col">
                <span className="sr-only">{t('common.actions')}</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {silences.map((silence) => (
            <tr key={silence.id}>
              <th scope="row" className="min-w-40 whitespace-normal">
                {scopeText(ui, silence, names)}
                <span className="block font-normal text-[0.86rem] text-muted">
                  {silence.kinds.map((kind) => t(`incident.kind.${kind}`)).join(separator(ui)) ||
                    t('incidents.anyKind')}
                </span>
              </th>
              <td>
                <When ui={ui} silence={silence} />
              </td>
              <td className="whitespace-nowrap">
                <State ui={ui} silence={silence} />
              </td>
              <td className="min-w-40">{silence.comment}</td>
              <td className="whitespace-nowrap">{silence.createdBy}</td>
              {remove ? (
                <td>
                  <Confirm
                    ui={ui}
                    id={`remove-${silence.id}`}
                    label={t('common.remove')}
                    name={silence.comment}
                    text={t('silences.removeConfirm')}
                    action={remove}
                    fields={{ id: silence.id }}
                    className="link"
                  />
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
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
