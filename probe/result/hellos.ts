import type { Hellos } from '#contract/tls.ts';
import { parseClientHello } from '../wire/client-hello.ts';
import { groupName, versionName } from '../wire/names.ts';
import type { WireObserver } from '../wire/wire.ts';

const MESSAGE_HEADER = 4;

/** What both sides said in clear text; null where no ClientHello left. Read from the bytes that were kept, now. */
export function hellosOf({ clientHello: body, serverHello }: WireObserver): Hellos | null {
  const offered = body && parseClientHello(body);
  if (!offered) return null;
  return {
    clientBytes: body.length + MESSAGE_HEADER,
    offeredVersions: offered.versions.slice(0, 16).map(versionName),
    offeredGroups: offered.groups.slice(0, 32).map(groupName),
    keyShares: offered.keyShares.slice(0, 16).map(groupName),
    offeredAlpn: offered.alpn,
    serverLegacyVersion: serverHello ? versionName(serverHello.legacyVersion) : null,
  };
}
