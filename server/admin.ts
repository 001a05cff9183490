import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { environment } from './environment.ts';
import { readSetting, writeSettingOnce } from './settings.ts';

// OWASP's advice for argon2id: 19 MiB, two passes, one lane; about 30 ms on one core.
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };

/**
 * Sets the administrator's password at the first start: ROUNDTRIP_ADMIN_PASSWORD, else one made up here.
 * Returns the made-up one, to be shown this once; null where it was given or had been set before.
 */
export async function ensureAdminPassword(): Promise<string | null> {
  if (await readSetting('admin')) return null;
  const given = environment().ROUNDTRIP_ADMIN_PASSWORD;
  const password = given ?? randomBytes(15).toString('base64url');
  const wrote = await writeSettingOnce('admin', { passwordHash: await hashPassword(password) });
  return wrote && !given ? password : null;
}

/** Says whether this is the administrator's password. */
export async function isAdminPassword(password: string): Promise<boolean> {
  const setting = await readSetting('admin');
  if (!setting) return false;
  const [salt, expected] = setting.passwordHash.split('.').map((part) => Buffer.from(part, 'base64url'));
  if (!salt || !expected) return false;
  return timingSafeEqual(await derive(password, salt), expected);
}

async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return `${salt.toString('base64url')}.${(await derive(password, salt)).toString('base64url')}`;
}

const derive = (password: string, salt: Buffer): Promise<Buffer> =>
  promisify(argon2)('argon2id', { ...COST, message: password.normalize('NFKC'), nonce: salt });
