import type { Result } from '#contract/result.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge } from '../ui/badge.tsx';

/** Which handshake of its run a result is of; nothing for the main one. */
export function VariantBadge({ ui, variant = 'main' }: { ui: Ui; variant?: Result['variant'] }) {
  if (variant === 'main') return null;
  return <Badge title={ui.t(`variantDef.${variant}`)}>{ui.t(`variant.${variant}`)}</Badge>;
}
