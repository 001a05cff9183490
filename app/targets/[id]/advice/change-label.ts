import type { Ui } from '#i18n/ui.ts';
import type { TargetAdvice } from '#server/advice/advice.ts';

type Change = TargetAdvice['changes'][number]['changes'][number];

/** A change to a server in words: `TLS 1.3`, `chain of 2,000 bytes`. */
export function changeLabel({ t, locale }: Ui, change: Change): string {
  const number = (value: number) => new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }).format(value);
  switch (change.kind) {
    case 'chain':
    case 'records':
      return t(`advice.changeTo.${change.kind}`, { bytes: number(change.bytes) });
    case 'window':
      return t('advice.changeTo.window', { segments: number(change.segments) });
    case 'compressBody':
      return t('advice.changeTo.compressBody', { percent: number(change.ratio * 100) });
    case 'edge':
      return t('advice.changeTo.edge', { ms: number(change.rttMs) });
    case 'dns':
      return t('advice.changeTo.dns', { ms: number(change.ms) });
    default:
      return t(`advice.changeTo.${change.kind}`);
  }
}
