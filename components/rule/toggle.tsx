import type { Ui } from '#i18n/ui.ts';

type Props = { ui: Ui; id: string; name: string; enabled: boolean; action: (form: FormData) => Promise<void> };

/** Turns a thing on or off at once. */
export function Toggle({ ui: { t }, id, name, enabled, action }: Props) {
  const label = enabled ? t('alerting.disable') : t('alerting.enable');
  return (
    <form action={action}>
      <input type="hidden" name="id" value={id} />
      <input type="hidden" name="enabled" value={String(!enabled)} />
      <button type="submit" className="link" aria-label={`${label} ${name}`}>
        {label}
      </button>
    </form>
  );
}
