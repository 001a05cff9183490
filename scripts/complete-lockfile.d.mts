/** Names of optional dependencies that the lockfile mentions and does not list, each with its version. */
export function missingOptionals(lock: { packages: Record<string, object> }): Map<string, string>;
