import Link from 'next/link';
import type { Ui } from '#i18n/ui.ts';

type Props = {
  ui: Ui;
  /** The comparison that is there already, or null. */
  comparisonId: string | null;
  /** Asks for one; null where the reader may not. */
  action: ((form: FormData) => Promise<void>) | null;
  /** Says what it is to be about. */
  fields: Record<string, string>;
};

/** The way from a marker or an incident to its comparison: a link where there is one, else a button that asks for it. */
export function CompareButton({ ui: { t }, comparisonId, action, fields }: Props) {
  if (comparisonId) {
    return (
      <Link href={`/comparisons/${comparisonId}`} prefetch={false} className="link text-[0.86rem]">
        {t('comparison.open')}
      </Link>
    );
  }
  if (!action) return null;
  return (
    <form action={action} className="inline print:hidden">
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <button type="submit" className="link text-[0.86rem]">
        {t('comparison.compare')}
      </button>
    </form>
  );
}
