import { z } from 'zod';

/** Characters of the administrator's password. */
export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 200;

/** A password to be set, wherever it is typed. */
export const NewPassword = z
  .string()
  .min(PASSWORD_MIN, `must have at least ${PASSWORD_MIN} characters`)
  .max(PASSWORD_MAX, `must have at most ${PASSWORD_MAX} characters`);

export const SessionCreate = z
  .strictObject({ password: z.string().min(1).max(PASSWORD_MAX) })
  .meta({ id: 'SessionCreate', description: "The administrator's password" });
export type SessionCreate = z.infer<typeof SessionCreate>;

export const PasswordChange = z
  .strictObject({
    currentPassword: z.string().min(1).max(PASSWORD_MAX).optional().meta({
      description: 'required for a session; optional with an API key of scope `admin`',
    }),
    newPassword: NewPassword,
  })
  .meta({ id: 'PasswordChange' });
export type PasswordChange = z.infer<typeof PasswordChange>;

/** Who the caller is: what the dashboard needs to know to offer or hide a button. */
export const Session = z
  .object({
    signedIn: z.boolean().meta({ description: 'true with a session cookie or an API key' }),
    scope: z.enum(['read', 'write', 'admin']).nullable().meta({ description: 'null: no access' }),
    publicDashboard: z.boolean().meta({ description: 'true if reading needs no authentication' }),
  })
  .meta({ id: 'Session' });
export type Session = z.infer<typeof Session>;

/** A signed-in browser. */
export const ActiveSession = z
  .object({
    id: z.uuid(),
    createdAt: z.iso.datetime(),
    lastSeenAt: z.iso.datetime().meta({ description: 'rounded to a minute' }),
    expiresAt: z.iso.datetime(),
    address: z.string().meta({ description: 'IP address of the sign-in' }),
    userAgent: z.string().meta({ description: "the browser's `User-Agent`, truncated to 200 characters" }),
    current: z.boolean().meta({ description: 'true for the session of this request' }),
  })
  .meta({ id: 'ActiveSession' });
export type ActiveSession = z.infer<typeof ActiveSession>;

export const ActiveSessions = z.object({ data: z.array(ActiveSession) }).meta({ id: 'ActiveSessions' });
export type ActiveSessions = z.infer<typeof ActiveSessions>;
