import { SilenceConfiguration } from '#contract/configuration.ts';
import type { Silence } from '#contract/silence.ts';
import { invalidField } from '#server/environment/errors.ts';
import {
  createSilence,
  deleteSilence,
  isActive,
  listSilences,
  nextBeginning,
  updateSilence,
} from '#server/incidents/silences.ts';
import { allPages, type Known, type Things, withoutDefaults } from './things.ts';

type Named = Silence & { name: string; demo: false };

/** Silences that hold, or will. */
const currentSilences = async (): Promise<Silence[]> =>
  (await allPages(listSilences)).filter(({ active, nextAt }) => active || nextAt !== null);

/** Those that have a comment of their own: others have no name, are in no document, and are not deleted by one. */
export const silenceThings: Things<SilenceConfiguration, Named> = {
  section: 'silences',
  async list() {
    return [...Map.groupBy(await currentSilences(), ({ comment }) => comment)].flatMap(([name, [first, second]]) =>
      name === '' || first === undefined || second ? [] : { ...first, name, demo: false as const },
    );
  },
  written({ name, targetIds, ...silence }, known) {
    const { regions, carriers, kinds, startsAt, endsAt, cron, durationMinutes, timeZone } = silence;
    const times = { startsAt, endsAt, cron, durationMinutes, timeZone };
    const whole = { name, targets: known.targets.namesOf(targetIds), regions, carriers, kinds, ...times };
    return withoutDefaults(whole, SilenceConfiguration.parse({ name }), ['name']) as Partial<SilenceConfiguration>;
  },
  parse: (part) => SilenceConfiguration.parse(part),
  async real({ startsAt, endsAt }, { startsAt: _, ...shown }, wanted) {
    const begins = wanted.startsAt === undefined ? {} : { startsAt: asWritten(startsAt, wanted.startsAt) };
    return { ...shown, ...begins, endsAt: endsAt && asWritten(endsAt, wanted.endsAt) };
  },
  async create(config, known, field, by) {
    if ((await currentSilences()).some(({ comment }) => comment === config.name))
      throw invalidField(`${field}.name`, 'is the comment of several: change all but one of them first');
    return await createSilence(withIds(config, known, field), by);
  },
  change: ({ id }, config, known, field) => updateSilence(id, withIds(config, known, field)),
  remove: deleteSilence,
  isOver({ startsAt, endsAt, cron, durationMinutes, timeZone }) {
    const now = new Date();
    const [begins, ends] = [
      startsAt === undefined ? now : new Date(startsAt),
      endsAt === null ? null : new Date(endsAt),
    ];
    const times = { startsAt: begins, endsAt: ends, cron, durationMinutes, timeZone };
    try {
      return !isActive(times, now) && nextBeginning(times, now) === null;
    } catch {
      // What is no cron expression is refused, with its field, where it is made.
      return false;
    }
  },
};

/** An instant as a document writes it, where that is the same one. */
const asWritten = (stored: string, text: string | null) =>
  text !== null && Date.parse(text) === Date.parse(stored) ? text : stored;

function withIds({ name, targets, ...rest }: SilenceConfiguration, known: Known, field: string) {
  return { ...rest, comment: name, targetIds: known.targets.idsOf(targets, `${field}.targets`) };
}
