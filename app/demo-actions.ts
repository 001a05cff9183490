'use server';

import { revalidatePath } from 'next/cache';
import { redirect } from 'next/navigation';
import { removeDemo } from '#server/demo/demo.ts';
import { adminAction } from './access.ts';

/** Deletes everything that belongs to the demo. */
export const removeDemoAction = adminAction(async (): Promise<void> => {
  await removeDemo();
  revalidatePath('/', 'layout');
  redirect('/');
});
