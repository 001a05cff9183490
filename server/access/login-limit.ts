import { getPool } from '#server/database/database.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { siteOf } from './client-address.ts';

// Guesses at the password are counted in PostgreSQL: for all web processes together, and over their restarts. Each guesser
// has a bucket of its own, whose pauses grow, and so has the site that a network belongs to, however many networks that has;
// those who are not known share one more, which slows all of them together. A guess that the shared bucket refuses has been
// counted in the narrower ones: a guesser who goes on meets its own pauses, and leaves what is shared to the others. A
// browser that signed in before is in none of the others' buckets, so no stranger can lock it out.
//
// Rows that strangers make: of each network and each site that guessed one, and one of all together. So a guess makes two at most,
// however long guesses take, and none while its site has to wait; those that come at once, before a pause is known, make theirs.
// From one site that is about 125 networks a day: 20, and one after every pause. Each row goes a day after its last guess.

/** Who guesses: a network (an IPv4 address, an IPv6 /64), a browser that signed in before, or a session. */
export type Guesser = { kind: 'network' | 'browser' | 'session'; id: string };

/** Wrong guesses without a pause. The fifth is followed by one second, and each further one by twice as long. */
const FREE_GUESSES = 5;
/** The same for a site (IPv4 /24, IPv6 /48): more than one address comes to by itself. */
const FREE_GUESSES_OF_SITE = 20;
const LONGEST_PAUSE_SECONDS = 15 * 60;
/** A bucket that was quiet for so long is reset. */
const FORGOTTEN_HOURS = 24;

/** Strangers together: so many wrong guesses at once, and one more for every refill. */
const ALL = 'all';
const ALL_BURST = 200;
const ALL_REFILL_SECONDS = 4.5;

/**
 * Counts a guess before the password is looked at, so that guesses made at once count too. Throws `rate_limited` where this
 * guesser, its site or all strangers have to wait; a try that a bucket refuses is not counted in it.
 */
export async function countGuess(guesser: Guesser): Promise<void> {
  const site = siteBucketOf(guesser);
  if (site) await refuseWhilePaused(site);
  await countInBucket(bucketOf(guesser), FREE_GUESSES);
  if (site) await countInBucket(site, FREE_GUESSES_OF_SITE);
  if (guesser.kind === 'network') await countAmongAll();
}

/** Takes back what the guesser's buckets hold, once it knew the password. */
export async function forgiveGuesses(guesser: Guesser): Promise<void> {
  const own = [bucketOf(guesser), siteBucketOf(guesser)];
  await getPool().query('delete from password_guess where bucket = any($1)', [own]);
  if (guesser.kind !== 'network') return;
  await getPool().query(
    `update password_guess set blocked_until = blocked_until - $2 * interval '1 second' where bucket = $1`,
    [ALL, ALL_REFILL_SECONDS],
  );
}

/** Housekeeping: deletes the buckets that are forgotten and says how many. */
export async function dropOldGuesses(): Promise<number> {
  const { rowCount } = await getPool().query(
    `delete from password_guess where last_at < now() - interval '${FORGOTTEN_HOURS} hours' and blocked_until < now()`,
  );
  return rowCount ?? 0;
}

const bucketOf = ({ kind, id }: Guesser) => `${kind}:${id}`;

function siteBucketOf({ kind, id }: Guesser): string | null {
  const site = kind === 'network' ? siteOf(id) : null;
  return site && `site:${site}`;
}

/** A site that has to wait makes no rows for each of its networks. */
async function refuseWhilePaused(bucket: string): Promise<void> {
  const { rowCount } = await getPool().query(
    'select from password_guess where bucket = $1 and failures >= $2 and blocked_until > clock_timestamp()',
    [bucket, FREE_GUESSES_OF_SITE],
  );
  if (rowCount !== 0) throw await refusal(bucket, 0);
}

/** Reads the clock once for each guess; a clock that is set back never delays a caller with guesses left. */
async function countInBucket(bucket: string, free: number): Promise<void> {
  const { rowCount } = await getPool().query(
    `insert into password_guess as g (bucket, failures, blocked_until, last_at)
       select $1, 1, at, at from (select clock_timestamp() as at) clock
     on conflict (bucket) do update set (failures, blocked_until, last_at) = (
       select n, at + interval '1 second' * case when n < $2 then 0 else least(power(2, least(n - $2, 30)), $3) end, at
         from (select at, case when g.last_at < at - interval '${FORGOTTEN_HOURS} hours' then 1
                 else g.failures + 1 end as n from (select clock_timestamp() as at) clock) counted)
     where g.failures < $2 or g.blocked_until <= clock_timestamp()`,
    [bucket, free, LONGEST_PAUSE_SECONDS],
  );
  if (rowCount === 0) throw await refusal(bucket, 0);
}

/** A bucket that leaks: it is full where its clock runs ahead by all of the burst. */
async function countAmongAll(): Promise<void> {
  const ahead = (ALL_BURST - 1) * ALL_REFILL_SECONDS;
  const { rowCount } = await getPool().query(
    `insert into password_guess as g (bucket, failures, blocked_until, last_at)
       values ($1, 1, clock_timestamp() + $2 * interval '1 second', clock_timestamp())
     on conflict (bucket) do update set failures = least(g.failures, 1000000000) + 1, last_at = clock_timestamp(),
       blocked_until = greatest(g.blocked_until, clock_timestamp()) + $2 * interval '1 second'
     where g.blocked_until <= clock_timestamp() + $3 * interval '1 second'`,
    [ALL, ALL_REFILL_SECONDS, ahead],
  );
  if (rowCount === 0) throw await refusal(ALL, ahead);
}

async function refusal(bucket: string, ahead: number): Promise<ServiceError> {
  const { rows } = await getPool().query<{ seconds: number }>(
    'select extract(epoch from blocked_until - clock_timestamp())::float8 as seconds from password_guess where bucket = $1',
    [bucket],
  );
  const seconds = Math.max(1, Math.ceil((rows[0]?.seconds ?? 0) - ahead));
  return new ServiceError('rate_limited', `Too many wrong passwords: try again in ${seconds} s.`, undefined, seconds);
}
