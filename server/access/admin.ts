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

/** The stored hash where this is the administrator's password, else null. */
export async function matchingHash(password: string, gate = STRANGERS): Promise<string | null> {
  const setting = await readSetting('admin');
  if (!setting) return null;
  const [salt, expected] = setting.passwordHash.split('.').map((part) => Buffer.from(part, 'base64url'));
  if (!salt || !expected) return null;
  return timingSafeEqual(await gate.pass(() => derive(password, salt)), expected) ? setting.passwordHash : null;
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

/** At most so many hashings at once, and so many waiting: guesses must not take all of the CPU and memory. */
class HashingGate {
  #free: number;
  readonly #waiting: (() => void)[] = [];
  readonly #mostWaiting: number;

  constructor(atOnce: number, mostWaiting: number) {
    this.#free = atOnce;
    this.#mostWaiting = mostWaiting;
  }

  /** Throws `rate_limited` where too many wait already. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait();
    try {
      return await work();
    } finally {
      // Whoever waits takes the place over.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= this.#mostWaiting) {
      throw new ServiceError('rate_limited', 'Too many attempts to sign in at once: try again in 1 s.', undefined, 1);
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

/** Whoever is not known, and those who signed in before: the first cannot crowd the second out. */
export const STRANGERS = new HashingGate(2, 20);
export const ACQUAINTANCES = new HashingGate(1, 20);

async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return `${salt.toString('base64url')}.${(await derive(password, salt)).toString('base64url')}`;
}

const derive = (password: string, salt: Buffer): Promise<Buffer> =>
  promisify(argon2)('argon2id', { ...COST, message: password.normalize('NFKC'), nonce: salt });
