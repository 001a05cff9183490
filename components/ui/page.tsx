import Link from 'next/link';
import type { ReactNode } from 'react';
import type { Ui } from '#i18n/ui.ts';
import { Confirm } from './confirm.tsx';
import { Empty } from './empty.tsx';
import { ZoneNote } from './zone-note.tsx';

type Way = { href: string; label: string };

type HeadProps = {
  ui: Ui;
  /** The page above this one. */
  up?: Way | null;
  title: ReactNode;
  /** What stands under the title. */
  note?: ReactNode;
  /** Tabs and buttons at the right. */
  actions?: ReactNode;
};

/** The top of a page: the way up, its title, and what can be done here. */
export function PageHead({ ui, up, title, note, actions }: HeadProps) {
  return (
    <div className="mb-3 flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
      <div className="min-w-0">
        {up ? (
          <nav aria-label={ui.t('nav.breadcrumb')} className="text-[0.86rem]">
            <Link href={up.href} prefetch={false} className="link">
              {up.label}
            </Link>
          </nav>
        ) : null}
        <h1 className="flex flex-wrap items-center gap-2 break-words">{title}</h1>
        {note}
      </div>
      {actions}
    </div>
  );
}

type FormProps = Omit<HeadProps, 'actions'> & {
  /** Whether the thing of this form is kept as code. */
  managed?: boolean;
  /** How the thing of this form is removed: the question that is asked before, and what does it. */
  remove?: { id: string; label: string; text: string; action: (form: FormData) => Promise<void> };
  children: ReactNode;
};

/** A page that is one form: narrower than the others. */
export function FormPage({ managed = false, remove, children, ...head }: FormProps) {
  return (
    <div className="mx-auto max-w-3xl">
      <PageHead
        {...head}
        actions={
          remove ? <Confirm ui={head.ui} {...remove} managed={managed} id="remove" fields={{ id: remove.id }} /> : null
        }
      />
      {managed ? <p className="panel mb-3 px-4 py-2">{head.ui.t('managed.text')}</p> : null}
      {children}
    </div>
  );
}

type ListProps = {
  ui: Ui;
  title: ReactNode;
  summary?: ReactNode;
  /** The lists beside this one. */
  tabs?: ReactNode;
  /** The way to make one more; null where the reader may not. */
  add?: Way | null;
  filter?: ReactNode;
  /** What stands in place of an empty list: why it is empty, or something of its own; null where the list has rows. */
  empty: { title: string; text: string } | ReactNode;
  /** What holds for the rows and is said below them. */
  footnote?: ReactNode;
  /** The pages of the list beside this one. */
  previous?: Way | null;
  next?: Way | null;
  children: ReactNode;
};

/** A page that is one list: title, filter, rows or why there are none, the way to further rows. */
export function ListPage({
  ui,
  title,
  summary,
  tabs,
  add,
  filter,
  empty,
  footnote,
  previous,
  next,
  children,
}: ListProps) {
  const actions =
    tabs || add ? (
      <div className="flex flex-wrap gap-2">
        {tabs}
        {add ? (
          <Link href={add.href} prefetch={false} className="btn btn-primary">
            {add.label}
          </Link>
        ) : null}
      </div>
    ) : null;
  return (
    <>
      <PageHead
        ui={ui}
        title={title}
        note={summary ? <p className="text-muted">{summary}</p> : null}
        actions={actions}
      />
      {filter}
      {isReason(empty) ? <Empty {...empty} /> : (empty ?? children)}
      <div className="mt-3 flex flex-wrap justify-between gap-2">
        {footnote ? <p className="text-[0.86rem] text-muted">{footnote}</p> : null}
        <ZoneNote ui={ui} />
        <div className="flex gap-2">
          {[previous, next].map((way) =>
            way ? (
              <Link key={way.href} href={way.href} prefetch={false} className="btn">
                {way.label}
              </Link>
            ) : null,
          )}
        </div>
      </div>
    </>
  );
}

const isReason = (empty: ListProps['empty']): empty is { title: string; text: string } =>
  typeof empty === 'object' && empty !== null && 'title' in empty && 'text' in empty;
