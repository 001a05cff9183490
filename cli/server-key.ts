import { serverAddress } from '#workers/prober/server-address.ts';
import { isApiKey } from './probe/files.ts';
import { StartError } from './start-error.ts';

type Given = { server?: string | undefined; insecureServer?: boolean | undefined; keyFile?: string | undefined };

/** The server whose API a command uses, and its key: arguments, else ROUNDTRIP_SERVER and ROUNDTRIP_KEY. Throws StartError. */
export function serverAndKey(given: Given, env: NodeJS.ProcessEnv): { server: string; key: string } {
  const { server, problem } = serverAddress(given, env, 'the key');
  if (problem !== undefined) throw new StartError(problem);
  const key = given.keyFile ?? env.ROUNDTRIP_KEY;
  if (!key) throw new StartError('ROUNDTRIP_KEY (or --key-file) is missing: give an API key with the scope write.');
  if (!isApiKey(key)) throw new StartError('ROUNDTRIP_KEY is no API key: one begins with rt_.');
  return { server, key };
}
