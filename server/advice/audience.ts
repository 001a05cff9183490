import { Audience } from '#contract/audience.ts';
import { readSetting, writeSetting } from '#server/database/settings.ts';

/** How the users are spread, by the server's settings; all vantages count alike until somebody says otherwise. */
export async function readAudience(): Promise<Audience> {
  return (await readSetting('audience')) ?? Audience.parse({});
}

/** Replaces the weights of regions and of carriers. */
export async function changeAudience(audience: Audience): Promise<Audience> {
  await writeSetting('audience', audience);
  return audience;
}
