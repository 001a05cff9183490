import { join } from 'node:path';
import { z } from 'zod';
import { Assignments, Check } from '#contract/check.ts';
import { splitSecrets } from '#contract/target-secrets.ts';
import { readJson, writeJson } from './files.ts';
import type { Logger } from './logger.ts';

const Stored = z.object({ server: z.string(), revision: z.string().optional(), checks: z.array(Check) });
/** Checks are parsed one by one: one that a newer server has made must not cost the others. */
const Envelope = Assignments.extend({ checks: z.array(z.unknown()) });

export type Delta = { put: Check[]; removed: string[]; pollMs: number; skewMs: number; serverTime: string };

/**
 * The checks this prober runs, in memory and on disk, so that it measures on while the server is away. Those with secrets are
 * in memory alone: after a restart they wait for the server, which is asked for everything then.
 */
export class AssignmentStore {
  readonly checks = new Map<string, Check>();
  /** The server's word for what is known here; undefined asks for everything. */
  revision: string | undefined;
  #path: string;
  #server: string;
  #logger: Logger;

  constructor(options: { dataDir: string; server: string; logger: Logger }) {
    this.#path = join(options.dataDir, 'assignments.json');
    this.#server = options.server;
    this.#logger = options.logger;
    const stored = readJson(this.#path, Stored);
    for (const check of stored?.checks ?? []) this.checks.set(check.id, check);
    if (stored?.server === options.server) this.revision = stored.revision;
  }

  /** Takes the server's answer in and says what changed; null when it is none. */
  apply(body: unknown, now: number = Date.now()): Delta | null {
    const parsed = Envelope.safeParse(body);
    if (!parsed.success) return null;
    const { data } = parsed;
    const put = data.checks.flatMap((check) => this.#parse(check));
    const kept = new Set(put.map((check) => check.id));
    const removed = (data.full ? [...this.checks.keys()] : data.removed).filter((id) => !kept.has(id));
    for (const id of removed) this.checks.delete(id);
    for (const check of put) this.checks.set(check.id, check);
    const changed = put.length > 0 || removed.length > 0 || data.revision !== this.revision;
    this.revision = data.revision;
    if (changed) this.#save();
    return {
      put,
      removed,
      pollMs: data.pollSeconds * 1_000,
      skewMs: now - Date.parse(data.serverTime),
      serverTime: data.serverTime,
    };
  }

  #parse(value: unknown): Check[] {
    const check = Check.safeParse(value);
    if (check.success) return [check.data];
    this.#logger.warn(`a check is left out, this prober does not understand it: ${z.prettifyError(check.error)}`);
    return [];
  }

  #save(): void {
    const checks = [...this.checks.values()].filter((check) => !hasSecrets(check));
    // By a revision the server would leave out what is not on disk.
    const revision = checks.length === this.checks.size ? this.revision : undefined;
    try {
      writeJson(this.#path, { server: this.#server, revision, checks });
    } catch (error) {
      this.#logger.warn(`the assignments cannot be kept on disk: ${String(error)}`);
    }
  }
}

const hasSecrets = ({ settings }: Check) => splitSecrets(settings).secrets !== null;
