import { z } from 'zod';
import type { ProbeRequestSettings, ProbeSettings } from './target.ts';

// What server and prober must agree on: which parts of a target's settings are secrets. They are sealed in the server's
// database, given only to vantages that may hold them, and never written to a prober's disk.

/** What stands in the place of a value that is not shown. Given back in a change, it keeps the stored value. */
export const MASK = '***';

/** Headers that hold a secret by their name. */
const SECRET =
  /^(proxy-)?authorization$|cookie|token|secret|passw|credential|session|signature|(^|[-_])(api-?key|key|auth)([-_]|$)/i;

export const isSecretName = (name: string) => SECRET.test(name);

/** Whether a header holds a secret, by its name or since it is marked so: its value is never shown, like private keys. */
export const isSecretHeader = ({ name, secret }: Omit<Header, 'value'>) => secret === true || isSecretName(name);
type Header = ProbeRequestSettings['headers'][number];

/** The secrets of settings: the values of such headers in their order, the body, the client's private key. */
export const TargetSecrets = z.object({
  headers: z.array(z.string()),
  body: z.string().nullable(),
  keyPem: z.string().nullable(),
});
export type TargetSecrets = z.infer<typeof TargetSecrets>;

/** Takes the secrets out of settings, where masks then stand; null where there are none. */
export function splitSecrets(settings: ProbeSettings): { settings: ProbeSettings; secrets: TargetSecrets | null } {
  const { clientCertificate, request } = settings;
  const secrets = {
    headers: request.headers.filter(isSecretHeader).map(({ value }) => value),
    body: request.body,
    keyPem: clientCertificate?.keyPem ?? null,
  };
  if (secrets.headers.length === 0 && secrets.body === null && secrets.keyPem === null)
    return { settings, secrets: null };
  const masked = { headers: secrets.headers.map(() => MASK), body: request.body && MASK, keyPem: null };
  return { settings: joinSecrets(settings, masked), secrets };
}

/** Settings with these secrets in their places. */
export function joinSecrets(settings: ProbeSettings, { headers, body, keyPem }: TargetSecrets): ProbeSettings {
  const { clientCertificate, request } = settings;
  const values = headers.values();
  return {
    ...settings,
    clientCertificate: clientCertificate && { ...clientCertificate, keyPem },
    request: {
      ...request,
      headers: request.headers.map((header) =>
        isSecretHeader(header) ? { ...header, value: values.next().value ?? MASK } : header,
      ),
      body,
    },
  };
}
