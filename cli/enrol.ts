import { type Command, Option } from 'commander';
import { EnrolmentCreate } from '#contract/vantage.ts';
import { ACCESS_TYPES } from '#contract/vocabulary.ts';
import { withDatabase } from './database/database.ts';
import { StartError } from './start-error.ts';

type Typed = {
  name: string;
  region: string;
  carrier: string;
  country?: string;
  city?: string;
  asn?: string;
  access: string;
  mayHoldSecrets?: boolean;
};

/** `roundtrip enrol`: makes a vantage and prints the one-time token for its prober, and nothing else. */
export function enrolCommand(program: Command): void {
  program
    .command('enrol')
    .description('create a vantage and print the one-time token for its prober')
    .requiredOption('--name <name>', 'name of the vantage')
    .requiredOption('--region <code>', 'ISO 3166-2 code such as CN-GD')
    .requiredOption('--carrier <name>', 'lower-case name such as telecom')
    .option('--country <code>', 'ISO 3166-1 code (default: the first two letters of the region)')
    .option('--city <name>', 'city')
    .option('--asn <number>', 'autonomous system number')
    .addOption(new Option('--access <kind>', 'access type').choices([...ACCESS_TYPES]).default('idc'))
    .option('--may-hold-secrets', 'give its prober the secrets of targets (headers, bodies, client keys)')
    .action(async (typed: Typed) => {
      const input = readEnrolment(typed);
      const enrolment = await withDatabase(async () => {
        const { createEnrolment } = await import('#server/vantages/enrolments.ts');
        return createEnrolment(input);
      });
      process.stdout.write(`${enrolment.token}\n`);
    });
}

function readEnrolment({ asn, country, ...typed }: Typed): EnrolmentCreate {
  const parsed = EnrolmentCreate.safeParse({
    ...typed,
    country: country ?? typed.region.slice(0, 2),
    ...(asn === undefined ? {} : { asn: Number(asn) }),
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.');
  // Without --country the beginning of the region stands for it.
  const option = field === 'country' && country === undefined ? 'region' : field;
  throw new StartError(`--${option} is invalid: ${issue?.message}.`);
}
