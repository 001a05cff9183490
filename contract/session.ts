import { z } from 'zod';

export const SessionCreate = z
  .strictObject({ password: z.string().min(1).max(200) })
  .meta({ id: 'SessionCreate', description: "The administrator's password" });
export type SessionCreate = z.infer<typeof SessionCreate>;

/** Who the caller is: what the dashboard needs to know to offer or hide a button. */
export const Session = z
  .object({
    signedIn: z.boolean().meta({ description: 'true with a session cookie or an API key' }),
    scope: z.enum(['read', 'write', 'admin']).nullable().meta({ description: 'null: may not even read' }),
    publicDashboard: z.boolean().meta({ description: 'true where anybody may read' }),
  })
  .meta({ id: 'Session' });
export type Session = z.infer<typeof Session>;
