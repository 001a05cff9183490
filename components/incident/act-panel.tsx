import type { ReactNode } from 'react';
import type { Incident } from '#contract/incident.ts';
import type { IncidentKind } from '#contract/incident-vocabulary.ts';
import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import type { FormAction } from '../ui/form.tsx';
import { ActButton, ActForm } from './act-form.tsx';
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
  const merges = !isOver && detected ? others : [];
  const splits = !isOver && detected ? splitGroups(ui, incident) : [];
  if (isOver && !canCall && notUseful === null) return null;
  return (
    <section className="panel mb-3 px-4 py-1.5" aria-label={t('incident.act')}>
      {notUseful ? <Undo ui={ui} incident={incident} notUseful={notUseful} undo={undo} /> : null}
      {isOver && !canCall ? null : (
        <ActForm action={action}>
          <textarea
            id="note"
            name="note"
            rows={1}
            maxLength={2_000}
            aria-label={t('incident.note')}
            placeholder={t('incident.notePlaceholder')}
            className="field block min-w-0 flex-1 basis-72 resize-y"
          />
          {status === 'open' ? (
            <ActButton value="acknowledge" className="btn btn-primary">
              {t('incident.acknowledge')}
            </ActButton>
          ) : null}
          {isOver ? null : (
            <ActButton value="resolve" className="btn">
              {t('incident.resolve')}
            </ActButton>
          )}
          {isOver || state === 'quiet' || !ACCEPTABLE.includes(kind) ? null : (
            <Asked
              ui={ui}
              action="accept"
              label={t('incident.actions.accept')}
              text={t('incident.actions.acceptText')}
            />
          )}
          {canCall ? (
            <Asked
              ui={ui}
              action="not_useful"
              label={t('incident.actions.notUseful')}
              text={t(isOver ? 'incident.actions.notUsefulAfter' : 'incident.actions.notUsefulText')}
            />
          ) : null}
          {merges.length + splits.length > 0 ? (
            <details className="open:w-full">
              <summary className="link w-fit cursor-pointer px-1 py-1 text-[0.92rem]">
                {t('incident.actions.more')}
              </summary>
              <div className="mt-1 flex flex-wrap gap-x-6 gap-y-3">
                {merges.length > 0 ? (
                  <Picked ui={ui} action="merge" name="into" pick={t('incident.actions.mergeInto')}>
                    {merges.map((other) => (
                      <option key={other.id} value={other.id}>
                        {described(ui, other, now).title}
                      </option>
                    ))}
                  </Picked>
                ) : null}
                {splits.length > 0 ? (
                  <Picked ui={ui} action="split" name="series" pick={t('incident.actions.splitOff')}>
                    {splits.map(({ label, choices }) => (
                      <optgroup key={label} label={label}>
                        {choices.map((choice) => (
                          <option key={choice.value} value={choice.value}>
                            {choice.label}
                          </option>
                        ))}
                      </optgroup>
                    ))}
                  </Picked>
                ) : null}
              </div>
            </details>
          ) : null}
        </ActForm>
      )}
    </section>
  );
}

type PickedProps = { ui: Ui; action: 'merge' | 'split'; name: string; pick: string; children: ReactNode };

/** A choice and what is done with it. */
function Picked({ ui, action, name, pick, children }: PickedProps) {
  const { t } = ui;
  return (
    <div className="flex min-w-0 max-w-full flex-wrap items-end gap-2">
      <div className="min-w-0 max-w-full">
        <label htmlFor={name} className="mb-1 block text-[0.86rem] text-muted">
          {pick}
        </label>
        <select id={name} name={name} className="field block max-w-full sm:max-w-96">
          {children}
        </select>
      </div>
      <Asked
        ui={ui}
        action={action}
        label={t(`incident.actions.${action}`)}
        text={t(`incident.actions.${action}Text`)}
      />
    </div>
  );
}

type AskedProps = { ui: Ui; action: string; label: string; text: string };

/** A button that asks before it acts: the browser's own popover does, within the form, so that what was typed and chosen goes along. */
function Asked({ ui, action, label, text }: AskedProps) {
  const id = `ask-${action}`;
  return (
    <>
      <button type="button" popoverTarget={id} className="btn">
        {label}
      </button>
      <div id={id} popover="auto" role="alertdialog" aria-label={label} aria-describedby={`${id}-text`}>
        <p id={`${id}-text`}>{text}</p>
        <div className="mt-4 flex justify-end gap-2">
          <button type="button" className="btn" popoverTarget={id} popoverTargetAction="hide">
            {ui.t('common.cancel')}
          </button>
          <ActButton value={action} className="btn btn-primary">
            {label}
          </ActButton>
        </div>
      </div>
    </>
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
