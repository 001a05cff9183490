import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { inTransaction } from '#server/database/database.ts';
import { readSetting, writeSetting, writeSettingOnce } from '#server/database/settings.ts';
import { environment } from '#server/environment/environment.ts';
import { ServiceError } from '#server/environment/errors.ts';

// OWASP's advice for argon2id: 19 MiB, two passes, one lane; about 30 ms on one core.
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };

/** What a start found or made of the administrator's password. */
export type PasswordState =
  /** Made here, and to be shown this once. */
  | { state: 'generated'; password: string }
  /** Set just now, to ROUNDTRIP_ADMIN_PASSWORD. */
  | { state: 'given' }
  /** Set before. `given` says whether ROUNDTRIP_ADMIN_PASSWORD is that one, another, or not set. */
  | { state: 'kept'; given: 'same' | 'other' | 'none' };

/** Sets the administrator's password at the first start: ROUNDTRIP_ADMIN_PASSWORD, else one made up here. */
export async function ensureAdminPassword(): Promise<PasswordState> {
  const given = environment().ROUNDTRIP_ADMIN_PASSWORD;
  if (!(await readSetting('admin'))) {
    const password = given ?? randomBytes(15).toString('base64url');
    const wrote = await writeSettingOnce('admin', { passwordHash: await hashPassword(password) });
    if (wrote) return given ? { state: 'given' } : { state: 'generated', password };
  }
  if (given === undefined) return { state: 'kept', given: 'none' };
  return { state: 'kept', given: (await matchingHash(given)) === null ? 'other' : 'same' };
}

/** The stored hash where this is the administrator's password, else null. Attempts of one group wait for each other. */
export async function matchingHash(password: string, gate = STRANGERS, group = ''): Promise<string | null> {
  const setting = await readSetting('admin');
  if (!setting) return null;
  const [salt, expected] = setting.passwordHash.split('.').map((part) => Buffer.from(part, 'base64url'));
  if (!salt || !expected) return null;
  return timingSafeEqual(await gate.pass(() => derive(password, salt), group), expected) ? setting.passwordHash : null;
}

/** The stored hash, by which sessions notice that the password was changed; null before the first start. */
export async function storedHash(): Promise<string | null> {
  return (await readSetting('admin'))?.passwordHash ?? null;
}

/** Sets the administrator's password and ends every session but `keepSession`. Returns how many it ended. */
export async function setAdminPassword(password: string, keepSession: string | null = null): Promise<number> {
  const passwordHash = await hashPassword(password);
  return inTransaction(async (client) => {
    await writeSetting('admin', { passwordHash }, client);
    // A sign-in with the old password holds the setting's row until its session is there to be deleted.
    const { rowCount } = await client.query('delete from session where id is distinct from $1::uuid', [keepSession]);
    return rowCount ?? 0;
  });
}

type Waiter = PromiseWithResolvers<void>;

/**
 * At most so many hashings at once, and so many waiting: guesses must not take all of the CPU and memory. Groups take turns,
 * and when the queue is full, the one with most of them gives way: a crowd of one group costs the others a turn at most.
 */
class HashingGate {
  #free: number;
  /** By group, the one whose turn it is first. */
  readonly #lines = new Map<string, Waiter[]>();
  readonly #mostWaiting: number;

  constructor(atOnce: number, mostWaiting: number) {
    this.#free = atOnce;
    this.#mostWaiting = mostWaiting;
  }

  /** Throws `rate_limited` where too many wait already. */
  async pass<T>(work: () => Promise<T>, group = ''): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(group);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  #leave(): void {
    const [first] = this.#lines;
    if (!first) {
      this.#free += 1;
      return;
    }
    const [group, line] = first;
    const next = line.shift();
    this.#lines.delete(group);
    if (line.length > 0) this.#lines.set(group, line);
    next?.resolve();
  }

  #wait(group: string): Promise<void> {
    const line = this.#lines.get(group) ?? [];
    const lines = [...this.#lines.values()];
    if (lines.reduce((sum, { length }) => sum + length, 0) >= this.#mostWaiting) {
      const longest = lines.reduce((most, each) => (each.length > most.length ? each : most));
      if (longest.length <= line.length + 1) throw tooManyWait();
      longest.pop()?.reject(tooManyWait());
    }
    const waiter = Promise.withResolvers<void>();
    line.push(waiter);
    this.#lines.set(group, line);
    return waiter.promise;
  }
}

const tooManyWait = () =>
  new ServiceError('rate_limited', 'Too many attempts to sign in at once: try again in 1 s.', undefined, 1);

/** Unknown callers, and those who signed in before: the first cannot crowd the second out. */
export const STRANGERS = new HashingGate(2, 20);
export const ACQUAINTANCES = new HashingGate(1, 20);

async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return `${salt.toString('base64url')}.${(await derive(password, salt)).toString('base64url')}`;
}

const derive = (password: string, salt: Buffer): Promise<Buffer> =>
  promisify(argon2)('argon2id', { ...COST, message: password.normalize('NFKC'), nonce: salt });
