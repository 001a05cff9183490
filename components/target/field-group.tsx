import type { ReactNode } from 'react';
import type { Ui } from '#i18n/ui.ts';
import { Badge } from '../ui/badge.tsx';

type Props = {
  ui: Ui;
  title: string;
  /** What the group is for, in a line under its title. */
  help: string;
  /** How many of its settings are out of the ordinary: told while it is folded. */
  changed: number;
  children: ReactNode;
};

/** Fields that few need, folded away. */
export function FieldGroup({ ui, title, help, changed, children }: Props) {
  return (
    <details className="group panel">
      <summary className="flex items-center gap-2 p-4">
        <span aria-hidden="true" className="inline-block text-muted group-open:rotate-90">
          ▸
        </span>
        <span className="min-w-0 flex-1">
          <span className="font-semibold">{title}</span>
          <span className="ml-2 hidden text-[0.86rem] text-muted sm:inline">{help}</span>
        </span>
        {changed > 0 ? <Badge>{ui.t('targetForm.changed', { n: changed })}</Badge> : null}
      </summary>
      <div className="grid gap-3 px-4 pb-4">
        <p className="text-[0.86rem] text-muted sm:hidden">{help}</p>
        {children}
      </div>
    </details>
  );
}
