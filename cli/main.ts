import { Command, CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { withoutSecrets } from './said-arguments.ts';

/** One sub-command; its module is loaded when it is asked for, so that `probe` never loads the database. */
type Register = (program: Command) => void;

const COMMANDS: Record<string, () => Promise<Register>> = {
  start: async () => (await import('./start.ts')).startCommand,
  probe: async () => (await import('./probe.ts')).probeCommand,
  detect: async () => (await import('./detect.ts')).detectCommand,
  prober: async () => (await import('./prober.ts')).proberCommand,
  key: async () => (await import('./key.ts')).keyCommand,
  enrol: async () => (await import('./enrol.ts')).enrolCommand,
  apply: async () => (await import('./apply.ts')).applyCommand,
  export: async () => (await import('./apply.ts')).exportCommand,
  import: async () => (await import('./import.ts')).importCommand,
  mark: async () => (await import('./mark.ts')).markCommand,
  password: async () => (await import('./password.ts')).passwordCommand,
  'sign-in': async () => (await import('./sign-in.ts')).signInCommand,
  setup: async () => (await import('./setup.ts')).setupCommand,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  backup: async () => (await import('./backup.ts')).backupCommand,
  restore: async () => (await import('./restore.ts')).restoreCommand,
  web: async () => (await import('./web.ts')).webCommand,
  jobs: async () => (await import('./jobs.ts')).jobsCommand,
  build: async () => (await import('./build-command.ts')).buildCommand,
};

async function makeProgram(name: string | undefined): Promise<Command> {
  const program = new Command('roundtrip')
    .description('What every TLS handshake costs, per province and carrier, in milliseconds and in round trips.')
    .version(manifest.version)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(shown(text.replace(/^error: /, 'roundtrip: '))) });
  const load = name === undefined ? undefined : COMMANDS[name];
  // Help and an unknown name need the whole list.
  const registers = await Promise.all(load ? [load()] : Object.values(COMMANDS).map((each) => each()));
  for (const register of registers) register(program);
  return program;
}

const shown = (text: string) => withoutSecrets(text, process.argv.slice(2));

/** Errors whose message is a sentence for the person at the terminal; told by name, so that no module is loaded for it. */
const EXPLAINED = ['StartError', 'EnvironmentError', 'ServiceError'];

/** Exit status 2 for arguments that are wrong or a surrounding that forbids the start, each with one sentence. */
function reportFailure(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof Error && EXPLAINED.includes(error.name)) {
    process.stderr.write(`roundtrip: ${shown(error.message)}\n`);
    return 2;
  }
  process.stderr.write(`${shown(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`);
  return 1;
}

/** These go on when their output is no longer read (`| head`, a closed terminal); the others end. */
const GO_ON = ['start', 'web', 'jobs', 'prober', 'backup'];

const name = process.argv[2];
for (const stream of [process.stdout, process.stderr])
  stream.on('error', () => GO_ON.includes(name ?? '') || process.exit(1));
try {
  const program = await makeProgram(name !== undefined && Object.hasOwn(COMMANDS, name) ? name : undefined);
  for (const command of program.commands) command.exitOverride().copyInheritedSettings(program);
  await program.parseAsync(process.argv);
} catch (error) {
  process.exitCode = reportFailure(error);
}
