import { TargetConfiguration } from '#contract/configuration.ts';
import type { Target } from '#contract/target.ts';
import { getPrisma } from '#server/database/database.ts';
import { openSettings } from '#server/targets/secrets.ts';
import { createTarget, deleteTarget, listTargets, updateTarget } from '#server/targets/targets.ts';
import { allPages, type Known, type Things, withoutDefaults } from './things.ts';

const DEFAULTS = TargetConfiguration.parse({ name: 'default', url: 'https://default.example/' });

export const targetThings: Things<TargetConfiguration, Target> = {
  section: 'targets',
  list: () => allPages((query) => listTargets(query, 'editor')),
  written({ name, url, tags, periodSeconds, enabled, vantages, settings }, known) {
    const { vantageIds, ...places } = vantages;
    const whole = {
      ...{ name, url, tags, periodSeconds, enabled },
      vantages: { ...places, names: known.vantages.namesOf(vantageIds) },
      settings: withoutDefaults(settings, DEFAULTS.settings, []),
    };
    return withoutDefaults(whole, { ...DEFAULTS, settings: {} }, ['name', 'url']) as Partial<TargetConfiguration>;
  },
  // What is stored may be older than a rule for addresses.
  parse: (part) => ({ ...TargetConfiguration.parse({ ...part, url: DEFAULTS.url }), url: part.url ?? DEFAULTS.url }),
  async real({ id }, shown) {
    const settings = openSettings(await getPrisma().target.findUniqueOrThrow({ where: { id } }));
    return settings ? { ...shown, settings } : shown;
  },
  create: (config, known, field) => createTarget(withIds(config, known, field)),
  change: ({ id }, config, known, field) => updateTarget(id, withIds(config, known, field)),
  remove: deleteTarget,
};

function withIds({ vantages, ...rest }: TargetConfiguration, known: Known, field: string) {
  const { names, ...places } = vantages;
  return { ...rest, vantages: { ...places, vantageIds: known.vantages.idsOf(names, `${field}.vantages.names`) } };
}
