import type { Target } from '#contract/target.ts';
import type { Ui } from '#i18n/ui.ts';

const NOTED = ['good', 'legacy', 'stale'] as const;

/** What is to be seen at a server of the demo, by its host; null of other targets. */
export function demoNote(ui: Ui, { demo, url }: Pick<Target, 'demo' | 'url'>): string | null {
  const host = new URL(url).hostname;
  const known = demo ? NOTED.find((key) => host === `${key}.demo.roundtrip.test`) : undefined;
  return known === undefined ? null : ui.t(`demo.note.${known}`);
}
