'use server';

import { revalidatePath } from 'next/cache';
import type { FormState } from '#components/ui/form.tsx';
import { shareComparison, unshareComparison } from '#server/comparisons/share.ts';
import { shareMeasurement, unshareMeasurement } from '#server/measurements/share.ts';
import { adminAction, requestOrigin } from '../access.ts';
import { attempted, shownOnce } from '../form-state.ts';
import { requestUi } from '../request-ui.ts';

/** What has a link, by the folder of its page. */
const ROOMS = {
  comparisons: { share: shareComparison, unshare: unshareComparison },
  probe: { share: shareMeasurement, unshare: unshareMeasurement },
};
type Folder = keyof typeof ROOMS;

/** Makes the link of a page, which is shown this once; bound to the page's address by the page. */
export const shareAction = adminAction(
  async (folder: Folder, id: string, _before: FormState, form: FormData): Promise<FormState> => {
    const ui = await requestUi();
    const { t } = ui;
    return attempted(ui, form, async () => {
      const { path } = await ROOMS[folder].share(id);
      revalidatePath(`/${folder}/${id}`);
      const commands = [{ label: t('share.link'), command: `${await requestOrigin()}${path}` }];
      return shownOnce(ui, { title: t('share.title'), text: t('share.note'), commands });
    });
  },
);

export const unshareAction = adminAction(async (folder: Folder, id: string): Promise<void> => {
  await ROOMS[folder].unshare(id);
  revalidatePath(`/${folder}/${id}`);
});
