import { hkdfSync } from 'node:crypto';
import { webSecret } from '#server/environment/environment.ts';

// A browser has one jar for all ports of a host: two installations on one machine would take each other's cookies away. So the
// names of ours end in a mark that follows from the installation's secret.

/** Begins the name of a cookie that was set over https, by this very host, for all of its paths. */
const HOST_PREFIX = '__Host-';
const MARK_BYTES = 5;

let mark: string | undefined;

/** How a cookie is named that this installation sets. */
export function cookieName(base: string, isSecure: boolean): string {
  mark ??= Buffer.from(hkdfSync('sha256', webSecret(), '', 'roundtrip cookies', MARK_BYTES)).toString('hex');
  return `${isSecure ? HOST_PREFIX : ''}${base}_${mark}`;
}

/** A cookie of ours: as it is named over https, where it is, else as without; else by its bare name, as scripts may send it. */
export function ownCookie(value: (name: string) => string | undefined, base: string): string | undefined {
  return (
    value(cookieName(base, true)) ?? value(cookieName(base, false)) ?? value(`${HOST_PREFIX}${base}`) ?? value(base)
  );
}
