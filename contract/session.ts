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
      description: 'required of a session; an API key with the scope `admin` may leave it out',
    }),
    newPassword: NewPassword,
  })
  .meta({ id: 'PasswordChange' });
export type PasswordChange = z.infer<typeof PasswordChange>;

/** Who the caller is: what the dashboard needs to know to offer or hide a button. */
export const Session = z
  .object({
    signedIn: z.boolean().meta({ description: 'true with a session cookie or an API key' }),
    scope: z.enum(['read', 'write', 'admin']).nullable().meta({ description: 'null: may not even read' }),
    publicDashboard: z.boolean().meta({ description: 'true where anybody may read' }),
  })
  .meta({ id: 'Session' });
export type Session = z.infer<typeof Session>;

/** A signed-in browser. */
export const ActiveSession = z
  .object({
    id: z.uuid(),
    createdAt: z.iso.datetime(),
    lastSeenAt: z.iso.datetime().meta({ description: 'to a minute' }),
    expiresAt: z.iso.datetime(),
    address: z.string().meta({ description: 'where it signed in from' }),
    userAgent: z.string().meta({ description: "the browser's `User-Agent`, cut to 200 characters" }),
    current: z.boolean().meta({ description: 'true for the session that asks' }),
  })
  .meta({ id: 'ActiveSession' });
export type ActiveSession = z.infer<typeof ActiveSession>;

export const ActiveSessions = z.object({ data: z.array(ActiveSession) }).meta({ id: 'ActiveSessions' });
export type ActiveSessions = z.infer<typeof ActiveSessions>;
