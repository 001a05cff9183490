import type { Ui } from '#i18n/ui.ts';

type Props = {
  ui: Ui;
  /** Unique on the page. */
  id: string;
  /** What the button that asks says, and the one that does it. */
  label: string;
  text: string;
  /** Whether the thing is kept as code, and comes again. */
  managed?: boolean;
  action: (form: FormData) => Promise<void>;
  fields?: Record<string, string>;
  className?: string;
  /** What names the thing for a screen reader, where several buttons of a page say the same. */
  name?: string;
};

/** A button that asks before it acts. The browser's own popover does it: no script is needed. */
export function Confirm({ ui, id, label, text, managed = false, action, fields = {}, className, name }: Props) {
  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        className={className ?? 'btn btn-danger'}
        aria-label={name ? `${label} ${name}` : undefined}
      >
        {label}
      </button>
      <div id={id} popover="auto" role="alertdialog" aria-label={label} aria-describedby={`${id}-text`}>
        <div id={`${id}-text`}>
          <p>{text}</p>
          {managed ? <p className="mt-2">{ui.t('managed.removed')}</p> : null}
        </div>
        <form action={action} className="mt-4 flex justify-end gap-2">
          {Object.entries(fields).map(([field, value]) => (
            <input key={field} type="hidden" name={field} value={value} />
          ))}
          <button type="button" className="btn" popoverTarget={id} popoverTargetAction="hide">
            {ui.t('common.cancel')}
          </button>
          <button type="submit" className="btn btn-danger">
            {label}
          </button>
        </form>
      </div>
    </>
  );
}
