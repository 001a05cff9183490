import { readSetting, writeSetting } from '#server/database/settings.ts';
import { environment } from '#server/environment/environment.ts';

/** What ROUNDTRIP_ALLOW_PRIVATE_TARGETS says: allowed, refused, or null where it is not set and the settings decide. */
export const privateAddressesByEnvironment = (): boolean | null =>
  environment().ROUNDTRIP_ALLOW_PRIVATE_TARGETS ?? null;

/** Whether targets and webhooks may be loopback or private addresses: as the environment says, else the settings; no where neither does. */
export async function allowsPrivateAddresses(): Promise<boolean> {
  return privateAddressesByEnvironment() ?? (await readSetting('private_addresses'))?.allowed ?? false;
}

/** Says what the settings allow; probers follow within a poll. No effect where the environment says it. */
export const changePrivateAddresses = (allowed: boolean): Promise<void> =>
  writeSetting('private_addresses', { allowed });

/** How a private address can be allowed, for the end of a sentence that refuses one. */
export const howToAllowPrivate = (): string =>
  privateAddressesByEnvironment() === false
    ? 'the server was started with ROUNDTRIP_ALLOW_PRIVATE_TARGETS=0'
    : 'allow private addresses in Settings, or start the server with ROUNDTRIP_ALLOW_PRIVATE_TARGETS=1';
