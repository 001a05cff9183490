'use server';

import { revalidatePath } from 'next/cache';
import { redirect } from 'next/navigation';
import { removeDemo } from '#server/demo.ts';
import { requireAdmin } from './access.ts';

/** Deletes everything that belongs to the demo. */
export async function removeDemoAction(): Promise<void> {
  await requireAdmin();
  await removeDemo();
  revalidatePath('/', 'layout');
  redirect('/');
}
