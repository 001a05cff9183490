import { SilenceConfiguration } from '#contract/configuration.ts';
import type { Silence } from '#contract/silence.ts';
import { createSilence, deleteSilence, listSilences, updateSilence } from '#server/incidents/silences.ts';
import { type Known, type Things, withoutDefaults } from './things.ts';

type Named = Silence & { name: string; demo: false };

/** Silences that hold, or will. One without a comment has no name: it is in no document, and is not deleted by one. */
export const silenceThings: Things<SilenceConfiguration, Named> = {
  section: 'silences',
  async list(query) {
    const { data, nextCursor } = await listSilences(query);
    const named = data.filter(({ comment, active, nextAt }) => comment !== '' && (active || nextAt !== null));
    return { data: named.map((silence) => ({ ...silence, name: silence.comment, demo: false })), nextCursor };
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
  create: (config, known, field, by) => createSilence(withIds(config, known, field), by),
  change: ({ id }, config, known, field) => updateSilence(id, withIds(config, known, field)),
  remove: deleteSilence,
};

/** An instant as a document writes it, where that is the same one. */
const asWritten = (stored: string, text: string | null) =>
  text !== null && Date.parse(text) === Date.parse(stored) ? text : stored;

function withIds({ name, targets, ...rest }: SilenceConfiguration, known: Known, field: string) {
  return { ...rest, comment: name, targetIds: known.targets.idsOf(targets, `${field}.targets`) };
}
