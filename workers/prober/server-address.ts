import { isInNetworks } from '#contract/public-address.ts';

type Given = { server?: string | undefined; insecureServer?: boolean | undefined };
type Address = { server: string; problem?: undefined } | { server?: undefined; problem: string };

/**
 * The Roundtrip server's address: the argument, else ROUNDTRIP_SERVER; `problem` says what is wrong with it. `secrets` are what anyone on
 * the way could read without TLS.
 */
export function serverAddress(given: Given, env: Record<string, string | undefined>, secrets: string): Address {
  const server = given.server ?? env.ROUNDTRIP_SERVER;
  if (!server)
    return { problem: '--server (or ROUNDTRIP_SERVER) is missing: give the address of the Roundtrip server' };
  // It may come with the password of somebody's proxy, which no line of a log may repeat.
  const shown = JSON.stringify(server.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1***@'));
  if (!/^https?:\/\//i.test(server) || !URL.canParse(server)) {
    return { problem: `--server is ${shown}, which is not an http:// or https:// address` };
  }
  const { username, password, protocol, hostname } = new URL(server);
  if (username || password) return { problem: `--server is ${shown}: it cannot carry a user name or password` };
  const { ROUNDTRIP_INSECURE_SERVER: insecure = '' } = env;
  if (!['', '0', '1'].includes(insecure)) {
    return { problem: `ROUNDTRIP_INSECURE_SERVER is ${insecure}: give 1 (on) or 0 (off)` };
  }
  if (protocol === 'http:' && !isThisMachine(hostname) && !given.insecureServer && insecure !== '1') {
    const advice = 'an https:// address, or --insecure-server (or ROUNDTRIP_INSECURE_SERVER=1) on a network you trust';
    return { problem: `--server is ${shown}, without TLS: anyone on the way can read ${secrets}. Give ${advice}` };
  }
  return { server };
}

/** No packet to it leaves this machine, so that TLS would protect nothing. */
const isThisMachine = (hostname: string) =>
  hostname === 'localhost' || isInNetworks(hostname.replace(/^\[|\]$/g, ''), ['127.0.0.0/8', '::1']);
