import type { PasswordState } from '#server/access/admin.ts';

export const OTHER_PASSWORD =
  'ROUNDTRIP_ADMIN_PASSWORD is not the administrator’s password, and was not made it: it is read at the first start only. `roundtrip password` changes the password.';

/** What a setup did about the administrator's password, or did not do. */
export function passwordText(found: PasswordState): string {
  if (found.state === 'generated') return `${found.password} (shown this once: keep it)`;
  if (found.state === 'given') return 'set to ROUNDTRIP_ADMIN_PASSWORD';
  switch (found.given) {
    case 'none':
      return 'set';
    case 'same':
      return 'set before, and the same as ROUNDTRIP_ADMIN_PASSWORD';
    case 'other':
      return `set before, unchanged. ${OTHER_PASSWORD}`;
  }
}
