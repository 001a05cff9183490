import { ProbeSettings } from '#contract/target.ts';
import { joinSecrets, MASK, splitSecrets, TargetSecrets } from '#contract/target-secrets.ts';
import { openable, seal, unseal } from '#server/access/sealing.ts';

/** The columns of a target's row that hold its settings. */
type Stored = { settings: unknown; secrets: string | null };

/** The settings as they are stored: the secrets apart and sealed. Throws `unavailable` without ROUNDTRIP_SECRET. */
export function sealedSettings(whole: ProbeSettings): { settings: ProbeSettings; secrets: string | null } {
  const { settings, secrets } = splitSecrets(whole);
  return { settings, secrets: secrets && seal(JSON.stringify(secrets)) };
}

/** The settings of a row, secrets included; null where these were sealed with another ROUNDTRIP_SECRET. */
export function openSettings(row: Stored): ProbeSettings | null {
  const settings = ProbeSettings.parse(row.settings);
  const { secrets } = row;
  if (secrets === null) return settings;
  return openable(() => joinSecrets(settings, TargetSecrets.parse(JSON.parse(unseal(secrets)))));
}

/** The settings of a row to be shown: where its secrets cannot be opened, masks stand in their places. */
export const settingsToShow = (row: Stored): ProbeSettings => openSettings(row) ?? ProbeSettings.parse(row.settings);

/** The settings of a row without secrets that cannot be opened: a change cannot keep them. */
export function settingsToChange(row: Stored): ProbeSettings {
  const opened = openSettings(row);
  if (opened) return opened;
  const settings = ProbeSettings.parse(row.settings);
  const headers = settings.request.headers.filter(({ value }) => value !== MASK);
  return { ...settings, clientCertificate: null, request: { ...settings.request, headers, body: null } };
}
