import { TargetCreate } from '#contract/target.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { createTarget, listTargets } from '#server/targets/targets.ts';
import { StartError } from '../start-error.ts';

/** Adds the targets that are not watched yet. Returns how many were added. */
export async function addTargets(urls: string[]): Promise<number> {
  if (urls.length === 0) return 0;
  const watched = await watchedUrls();
  const missing = [...new Set(urls)].filter((url) => !watched.has(url));
  for (const url of missing) await addTarget(url);
  return missing.length;
}

async function watchedUrls(): Promise<Set<string>> {
  const urls = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await listTargets({ limit: 1_000, cursor }, 'editor');
    for (const target of page.data) urls.add(new URL(target.url).href);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return urls;
}

async function addTarget(url: string): Promise<void> {
  try {
    await createTarget(TargetCreate.parse({ url }));
  } catch (error) {
    if (error instanceof ServiceError) throw new StartError(`The target ${url} cannot be monitored: ${error.message}.`);
    throw error;
  }
}
