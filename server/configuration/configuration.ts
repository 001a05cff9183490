// What a person decides about an installation, as one document: things by their names. `GET` writes it, `PUT` makes things what it says, in one
// transaction, by the same functions as each operation of its own; a dry run does the same and takes it back.

import { isDeepStrictEqual } from 'node:util';
import {
  type Configuration,
  ConfigurationExport,
  type ConfigurationPlan,
  type ConfigurationQuery,
  type ConfigurationStep,
} from '#contract/configuration.ts';
import { getPrisma, together } from '#server/database/database.ts';
import { invalidField, ServiceError } from '#server/environment/errors.ts';
import { markManaged } from './managed.ts';
import { ruleThings } from './rules.ts';
import { silenceThings } from './silences.ts';
import { targetThings } from './targets.ts';
import { type Known, NameIndex, type Things } from './things.ts';
import { webhookThings } from './webhooks.ts';

type AnyThings = Things<{ name: string }, { id: string; name: string; demo: boolean }>;
/** In the order in which they are made: what is named by others first. */
const ALL = [targetThings, ruleThings, webhookThings, silenceThings] as unknown as readonly AnyThings[];

/** The document of what there is but for the demo; secrets are masked. */
export async function exportConfiguration(): Promise<ConfigurationExport> {
  const known = await readKnown();
  const sections = await Promise.all(
    ALL.map(async (things) => {
      const stored = await allOf(things);
      return [things.section, stored.map((each) => things.written(each, known))] as const;
    }),
  );
  return ConfigurationExport.parse(Object.fromEntries(sections));
}

class DryRun extends Error {
  readonly steps: Steps;
  constructor(steps: Steps) {
    super();
    this.steps = steps;
  }
}

type Steps = Pick<ConfigurationPlan, 'unchanged' | 'steps'>;

/** Makes things what the document says; `by` is who says so. Throws `invalid` with the place in the document, and what making or changing one of them throws. */
export async function applyConfiguration(
  document: Configuration,
  { dryRun, prune, managed }: ConfigurationQuery,
  by: string,
): Promise<ConfigurationPlan> {
  try {
    const steps = await together(async () => {
      const done = await applyAll(document, prune, by);
      if (dryRun) throw new DryRun(done);
      if (managed) await markManaged(document, new Date());
      return done;
    });
    return { applied: true, ...steps };
  } catch (error) {
    if (error instanceof DryRun) return { applied: false, ...error.steps };
    throw error;
  }
}

async function applyAll(document: Configuration, prune: boolean, by: string): Promise<Steps> {
  const done: Steps = { unchanged: 0, steps: [] };
  const left: { things: AnyThings; id: string; name: string }[] = [];
  for (const things of ALL) {
    const { section } = things;
    const wanted = document[section];
    if (wanted === undefined) continue;
    const stored = await allOf(things);
    const known = await readKnown();
    const changed = new Map<string, { step: ConfigurationStep; shown: object }>();
    for (const [index, config] of wanted.entries()) {
      const field = `${section}.${index}`;
      const { name } = config;
      const [before, second] = stored.filter((each) => each.name === name);
      if (second) throw invalidField(`${field}.name`, 'is the name of several: rename all but one of them first');
      const shown = before && things.parse(things.written(before, known));
      if (before && shown && (await isAsWanted(things, { before, shown, config }))) {
        done.unchanged += 1;
        continue;
      }
      if (!before && things.isOver?.(config)) {
        done.unchanged += 1;
        continue;
      }
      const step: ConfigurationStep = { section, name, action: before ? 'change' : 'create', fields: [] };
      done.steps.push(step);
      if (before && shown) changed.set(before.id, { step, shown });
      try {
        await (before ? things.change(before, config, known, field) : things.create(config, known, field, by));
      } catch (error) {
        throw placed(error, field);
      }
    }
    for (const after of changed.size > 0 ? await allOf(things) : []) {
      const { step, shown } = changed.get(after.id) ?? {};
      if (step && shown) step.fields = differences(shown, things.parse(things.written(after, known)));
    }
    const named = new Set(wanted.map(({ name }) => name));
    left.push(...stored.filter(({ name }) => !named.has(name)).map(({ id, name }) => ({ things, id, name })));
  }
  // What is named by others goes last.
  for (const { things, id, name } of prune ? left.reverse() : []) {
    await things.remove(id);
    done.steps.push({ section: things.section, name, action: 'delete', fields: [] });
  }
  return done;
}

/** An error of one thing with the place of that in the document. */
function placed(error: unknown, place: string): unknown {
  if (!(error instanceof ServiceError) || error.fields === undefined) return error;
  const fields = error.fields.map(({ field, message }) => ({
    field: field.startsWith(`${place}.`) ? field : `${place}.${field}`,
    message,
  }));
  return new ServiceError(error.code, error.message, fields);
}

type Compared = {
  before: { id: string; name: string; demo: boolean };
  shown: { name: string };
  config: { name: string };
};

/** Whether a thing is as a document says, with its secrets masked or as they are. */
async function isAsWanted(things: AnyThings, { before, shown, config }: Compared): Promise<boolean> {
  return isDeepStrictEqual(config, shown) || isDeepStrictEqual(config, await things.real?.(before, shown, config));
}

/** The fields in which two differ, those of settings each by itself. */
function differences(before: object, after: object, prefix = ''): ConfigurationStep['fields'] {
  const [one, other] = [before, after].map((each) => new Map(Object.entries(each)));
  return [...new Set([...(one?.keys() ?? []), ...(other?.keys() ?? [])])].flatMap((name) => {
    const [was, is] = [one?.get(name), other?.get(name)];
    if (isDeepStrictEqual(was, is)) return [];
    const field = `${prefix}${name}`;
    const areObjects = [was, is].every((each) => typeof each === 'object' && each !== null && !Array.isArray(each));
    return areObjects ? differences(was, is, `${field}.`) : [{ field, before: was ?? null, after: is ?? null }];
  });
}

/** All of a kind but the demo's. */
async function allOf<Stored extends { demo: boolean }>(things: { list(): Promise<Stored[]> }): Promise<Stored[]> {
  return (await things.list()).filter(({ demo }) => !demo);
}

async function readKnown(): Promise<Known> {
  const asked = {
    where: { deletedAt: null, demo: false },
    select: { id: true, name: true },
    orderBy: { id: 'asc' },
  } as const;
  const prisma = getPrisma();
  // One after the other: within a transaction they have one connection.
  const targets = await prisma.target.findMany(asked);
  const alertRules = await prisma.alertRule.findMany(asked);
  // No target selects an imported one.
  const vantages = await prisma.vantage.findMany({ ...asked, where: { ...asked.where, imported: false } });
  return {
    targets: new NameIndex(targets),
    alertRules: new NameIndex(alertRules),
    vantages: new NameIndex(vantages),
  };
}
