import { z } from 'zod';
import { AlertRuleCreate } from './alert-rule.ts';
import { Carrier, Region } from './location.ts';
import { CRON_WITH_DURATION, SilenceCreate } from './silence.ts';
import { TargetCreate } from './target.ts';
import { NEEDED_BY_FORMAT, WebhookCreate } from './webhook.ts';

// What a person decides about an installation, in one document: things are known by their names, and name one another by these.

/** Most of one kind in a document. */
const MAX_THINGS = 1_000;

const Name = z.string().trim().min(1).max(200);
const names = (of: string) =>
  z
    .array(Name)
    .max(1_000)
    .default([])
    .meta({ description: `names of ${of} that are there, or in the document; empty: all` });

export const TargetConfiguration = TargetCreate.extend({
  name: Name,
  vantages: z
    .strictObject({
      regions: z.array(Region).max(500).default([]),
      carriers: z.array(Carrier).max(100).default([]),
      names: names('vantages'),
    })
    .prefault({}),
}).meta({ id: 'TargetConfiguration' });
export type TargetConfiguration = z.infer<typeof TargetConfiguration>;

type ByNames<Rule> = Rule extends unknown ? Omit<Rule, 'targetIds'> & { targets: string[] } : never;
export type RuleConfiguration = ByNames<AlertRuleCreate>;
const [firstKind, ...otherKinds] = AlertRuleCreate.options.map((kind) =>
  (kind as z.ZodObject).omit({ targetIds: true }).extend({ targets: names('targets') }),
);
export const RuleConfiguration = z
  .discriminatedUnion('kind', [firstKind, ...otherKinds] as unknown as [z.ZodObject<{ kind: z.ZodLiteral<string> }>])
  .meta({ id: 'RuleConfiguration' }) as unknown as z.ZodType<RuleConfiguration>;

export const WebhookConfiguration = WebhookCreate.omit({ ruleIds: true })
  .extend({ name: Name, rules: names('alert rules') })
  .meta({ id: 'WebhookConfiguration', ...NEEDED_BY_FORMAT });
export type WebhookConfiguration = z.infer<typeof WebhookConfiguration>;

/** A silence goes by its comment, which is its name here. */
export const SilenceConfiguration = SilenceCreate.omit({ targetIds: true, comment: true })
  .extend({
    name: SilenceCreate.shape.comment.unwrap().min(1).meta({ description: 'its comment' }),
    targets: names('targets'),
    startsAt: SilenceCreate.shape.startsAt.meta({ description: 'default: as it is; of a new one now' }),
  })
  .meta({ id: 'SilenceConfiguration', ...CRON_WITH_DURATION });
export type SilenceConfiguration = z.infer<typeof SilenceConfiguration>;

const things = <T extends z.ZodType<{ name: string }>>(thing: T) =>
  z
    .array(thing)
    .max(MAX_THINGS)
    .optional()
    .meta({ description: 'each under a name of its own; left out: these stay as they are' });

export const Configuration = z
  .strictObject({
    targets: things(TargetConfiguration),
    alertRules: things(RuleConfiguration),
    webhooks: things(WebhookConfiguration),
    silences: things(SilenceConfiguration),
  })
  .superRefine((document, context) => {
    for (const [section, list = []] of Object.entries(document)) {
      const seen = new Set<string>();
      for (const [index, { name }] of list.entries()) {
        if (seen.has(name))
          context.addIssue({ code: 'custom', path: [section, index, 'name'], message: 'stands here twice' });
        seen.add(name);
      }
    }
  })
  .meta({ id: 'Configuration' });
export type Configuration = z.infer<typeof Configuration>;

/** The JSON Schema of a document (draft 7), by which editors complete and check it. */
export const configurationSchema = (): object => ({
  ...z.toJSONSchema(Configuration, { io: 'input', target: 'draft-7' }),
  title: 'Configuration of Roundtrip',
});

const part = (field?: 'url' | 'kind' | 'format') =>
  z
    .array(z.looseObject({ name: z.string(), ...(field && { [field]: z.string() }) }))
    .meta({ description: 'as in `Configuration`, without what is as by default' });

/** A document as it is exported. */
export const ConfigurationExport = z
  .object({ targets: part('url'), alertRules: part('kind'), webhooks: part('format'), silences: part().default([]) })
  .meta({ id: 'ConfigurationExport' });
export type ConfigurationExport = z.infer<typeof ConfigurationExport>;
export const SECTIONS = ['targets', 'alertRules', 'webhooks', 'silences'] as const;
export type Section = (typeof SECTIONS)[number];

const flag = z.enum(['true', 'false']).default('false');
export const ConfigurationQuery = z
  .strictObject({
    dryRun: flag.transform((value) => value === 'true').meta({ description: 'only says what would be done' }),
    prune: flag
      .transform((value) => value === 'true')
      .meta({ description: 'deletes what is not in the document, of the kinds that are in it; never the demo' }),
    managed: z
      .enum(['true', 'false'])
      .default('true')
      .transform((value) => value === 'true')
      .meta({
        description:
          'marks what the document names as kept as code (`managed`), and no longer what it does not name, of the kinds that are in it; false leaves the marks as they are: for a document that is applied once',
      }),
  })
  .meta({ id: 'ConfigurationQuery' });
export type ConfigurationQuery = z.infer<typeof ConfigurationQuery>;

export const ConfigurationStep = z
  .object({
    section: z.enum(SECTIONS),
    name: z.string(),
    action: z.enum(['create', 'change', 'delete']),
    fields: z
      .array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() }))
      .meta({ description: 'what a change is of; secrets are `***`' }),
  })
  .meta({ id: 'ConfigurationStep' });
export type ConfigurationStep = z.infer<typeof ConfigurationStep>;

export const ConfigurationPlan = z
  .object({ applied: z.boolean(), unchanged: z.number().int(), steps: z.array(ConfigurationStep) })
  .meta({ id: 'ConfigurationPlan' });
export type ConfigurationPlan = z.infer<typeof ConfigurationPlan>;
