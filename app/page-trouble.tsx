import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { Unavailable } from '#components/shell/unavailable.tsx';
import { UNAVAILABLE_WORD } from '#components/ui/connection.ts';
import { databaseTrouble, inPageTime, notePageUnavailable } from '#server/http/page-request.ts';
import { requestUi } from './request-ui.ts';

/** The page; where the database is slow or away, one that says so and comes back by itself. */
export async function pageOrTrouble(make: () => Promise<ReactNode>): Promise<ReactNode> {
  try {
    return await inPageTime(make());
  } catch (error) {
    const trouble = databaseTrouble(error);
    if (trouble === null) throw error;
    notePageUnavailable();
    const { t } = await requestUi();
    // By its word an open page recognises the answer to its refresh (connection.ts).
    const word = (await headers()).get(UNAVAILABLE_WORD) ?? undefined;
    return <Unavailable id={word} title={t(`unavailable.${trouble}`)} text={t('unavailable.text')} />;
  }
}

/** `value`, or `otherwise` where the database is slow or away: for what a page can do without. At most `limitMs`. */
export async function valueOrTrouble<T>(value: Promise<T>, otherwise: T, limitMs?: number): Promise<T> {
  try {
    return await inPageTime(value, limitMs);
  } catch (error) {
    if (databaseTrouble(error) === null) throw error;
    return otherwise;
  }
}
