import type { Incident } from '#contract/incident.ts';
import type { IncidentKind } from '#contract/incident-vocabulary.ts';
import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import type { FormAction } from '../ui/form.tsx';
import { ActForm } from './act-form.tsx';
import { actorName } from './actor.ts';
import { described } from './incident-text.ts';
import { splitGroups } from './split-choices.ts';

const ACCEPTABLE: readonly IncidentKind[] = ['regression', 'spike', 'threshold'];
/** What the detector raises: its sensitivity can be lowered, and it can be merged and split. */
const DETECTED: readonly IncidentKind[] = ['regression', 'spike'];

type Props = {
  ui: Ui;
  incident: Incident;
  /** Open incidents of the same rule. */
  others: Incident[];
  action: FormAction;
  undo: (form: FormData) => Promise<void>;
  now: number;
};

/** Everything that a person may say of an incident in the state that it is in; nothing where there is nothing to say. */
export function ActPanel({ ui, incident, others, action, undo, now }: Props) {
  const { t } = ui;
  const { kind, state, status, notUseful, ruleId } = incident;
  const isOver = status === 'resolved';
  const detected = DETECTED.includes(kind);
  const canCall = notUseful === null && ruleId !== null && (detected || kind === 'improvement');
  const groups = !isOver && detected ? splitGroups(ui, incident) : [];
  if (isOver && !canCall && notUseful === null) return null;
  return (
    <section className="panel mb-3 px-4 py-1.5" aria-label={t('incident.act')}>
      {notUseful ? <Undo ui={ui} incident={incident} notUseful={notUseful} undo={undo} /> : null}
      {isOver && !canCall ? null : (
        <ActForm
          action={action}
          acknowledge={status === 'open'}
          resolve={!isOver}
          texts={{
            note: t('incident.note'),
            placeholder: t('incident.notePlaceholder'),
            acknowledge: t('incident.acknowledge'),
            resolve: t('incident.resolve'),
            more: t('incident.actions.more'),
            cancel: t('common.cancel'),
          }}
          accept={
            isOver || state === 'quiet' || !ACCEPTABLE.includes(kind)
              ? null
              : { label: t('incident.actions.accept'), text: t('incident.actions.acceptText') }
          }
          notUseful={
            canCall
              ? {
                  label: t('incident.actions.notUseful'),
                  text: t(isOver ? 'incident.actions.notUsefulAfter' : 'incident.actions.notUsefulText'),
                }
              : null
          }
          merge={
            isOver || !detected || others.length === 0
              ? null
              : {
                  label: t('incident.actions.merge'),
                  text: t('incident.actions.mergeText'),
                  pick: t('incident.actions.mergeInto'),
                  choices: others.map((other) => ({ value: other.id, label: described(ui, other, now).title })),
                }
          }
          split={
            groups.length === 0
              ? null
              : {
                  label: t('incident.actions.split'),
                  text: t('incident.actions.splitText'),
                  pick: t('incident.actions.splitOff'),
                  groups,
                }
          }
        />
      )}
    </section>
  );
}

type UndoProps = Pick<Props, 'ui' | 'incident' | 'undo'> & { notUseful: NonNullable<Incident['notUseful']> };

function Undo({ ui, incident, notUseful: { by, at, until }, undo }: UndoProps) {
  const { t, timeZone } = ui;
  const time = (instant: string) => formatTime(instant, timeZone, 'minute');
  return (
    <form action={undo} className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <input type="hidden" name="id" value={incident.id} />
      <p className="min-w-0 text-muted">
        {t('incident.actions.notUsefulUntil', { name: actorName(ui, by), at: time(at), until: time(until) })}
      </p>
      <button type="submit" className="btn">
        {t('incident.actions.undo')}
      </button>
    </form>
  );
}
