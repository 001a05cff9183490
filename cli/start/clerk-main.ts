// The clerk: does what the supervisor wants of the database (clerk.ts), in a process that lives only while something is asked.
import { ensureAdminPassword } from '#server/access/admin.ts';
import { closeDatabase } from '#server/database/database.ts';
import { isDatabaseAway } from '#server/database/faults.ts';
import { prepareDatabase } from '#server/database/migrate.ts';
import { answerDemo, decideDemo } from '../demo/demo.ts';
import { lacksPast } from '../demo/load-past.ts';
import { localProberEnv } from '../local-prober.ts';
import type { Answer, Errands, Question } from './clerk.ts';
import { addTargets } from './targets.ts';

/** A database that hangs does not keep a clerk that is no longer needed. */
const LONGEST_END_MS = 2_000;

const ERRANDS: { [Name in keyof Errands]: (...asked: Parameters<Errands[Name]>) => ReturnType<Errands[Name]> } = {
  migrate: async (url: string) => (await prepareDatabase(url)).applied,
  addTargets,
  ensureAdminPassword,
  decideDemo,
  answerDemo,
  lacksPast,
  localProberEnv,
};

async function answer({ id, errand, asked }: Question): Promise<Answer> {
  try {
    const work = ERRANDS[errand] as (...asked: unknown[]) => Promise<unknown>;
    return { id, value: await work(...asked) };
  } catch (error) {
    const { name, message, stack = message } = error instanceof Error ? error : new Error(String(error));
    return { id, failure: { name, message, stack, databaseAway: isDatabaseAway(error) } };
  }
}

process.on('message', async (question: Question) => {
  const answered = await answer(question);
  if (process.connected) process.send?.(answered);
});
process.once('disconnect', () => {
  setTimeout(() => process.exit(0), LONGEST_END_MS).unref();
  void closeDatabase().finally(() => process.exit(0));
});
process.once('SIGTERM', () => process.exit(143));
