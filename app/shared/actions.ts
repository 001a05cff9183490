'use server';

import { revalidatePath } from 'next/cache';
import type { ShownState } from '#components/ui/secret-form.tsx';
import { shareComparison, unshareComparison } from '#server/comparisons/share.ts';
import { shareMeasurement, unshareMeasurement } from '#server/measurements/share.ts';
import { adminAction, requestOrigin } from '../access.ts';
import { refusedByServer } from '../form-state.ts';
import { requestUi } from '../request-ui.ts';

/** What has a link, by the folder of its page. */
const ROOMS = {
  comparisons: { share: shareComparison, unshare: unshareComparison },
  probe: { share: shareMeasurement, unshare: unshareMeasurement },
};
type Folder = keyof typeof ROOMS;

/** Makes the link of a page, which is shown this once; bound to the page's address by the page. */
export const shareAction = adminAction(
  async (folder: Folder, id: string, _before: ShownState, form: FormData): Promise<ShownState> => {
    const ui = await requestUi();
    const { t } = ui;
    try {
      const { path } = await ROOMS[folder].share(id);
      revalidatePath(`/${folder}/${id}`);
      const commands = [{ label: t('share.link'), command: `${await requestOrigin()}${path}` }];
      const shown = { title: t('share.title'), text: t('share.note'), commands };
      return { problem: null, errors: {}, values: {}, shown };
    } catch (error) {
      return { ...refusedByServer(ui, form, error), shown: null };
    }
  },
);

export const unshareAction = adminAction(async (folder: Folder, id: string): Promise<void> => {
  await ROOMS[folder].unshare(id);
  revalidatePath(`/${folder}/${id}`);
});
