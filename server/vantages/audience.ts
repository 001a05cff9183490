import { type Audience, DEFAULT_AUDIENCE } from '#contract/audience.ts';
import { deleteSetting, readSetting, writeSetting } from '#server/database/settings.ts';

/** How the users are spread, by the server's settings; `DEFAULT_AUDIENCE` until somebody says otherwise. */
export async function readAudience(): Promise<Audience> {
  return (await readSetting('audience')) ?? DEFAULT_AUDIENCE;
}

/** Replaces the weights of regions and of carriers. */
export async function changeAudience(audience: Audience): Promise<Audience> {
  await writeSetting('audience', audience);
  return audience;
}

/** Goes back to the defaults, which later versions may know better. */
export async function resetAudience(): Promise<Audience> {
  await deleteSetting('audience');
  return DEFAULT_AUDIENCE;
}
