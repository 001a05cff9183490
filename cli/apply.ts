import { type Command, Option } from 'commander';
import { type Document, isScalar, LineCounter, parseDocument, stringify, visit } from 'yaml';
import { ConfigurationExport, ConfigurationPlan, type ConfigurationStep } from '#contract/configuration.ts';
import { EXPORT_FORMATS, type ExportFormat } from '#contract/query.ts';
import { addressOf, askServer, RefusedError, type Server, withServer } from './ask-server.ts';
import { type Day, dayOf, exportResults } from './export-results.ts';
import { readBlackbox } from './import/blackbox.ts';
import { readGatus } from './import/gatus.ts';
import { type Imported, leftText } from './import/imported.ts';
import { readUptimeKuma } from './import/uptime-kuma.ts';
import { readFile } from './probe/files.ts';
import { StartError } from './start-error.ts';

type File = { path: string; text: string };

const PATH = 'api/v1/configuration';
const TIMEOUT_MS = 120_000;

/** Other monitors whose files are read; `modules` is the text of the second file of blackbox_exporter. */
const READERS = {
  gatus: (text: string) => readGatus(text, process.env),
  'uptime-kuma': readUptimeKuma,
  blackbox: (text: string, modules: string | null) => readBlackbox(text, modules),
};
type From = keyof typeof READERS;
type Applying = Server & { dryRun?: boolean; prune?: boolean; from?: From; modules?: string };

/** `roundtrip apply` and `roundtrip export`: targets, alert rules, webhooks and silences of a server as a file (YAML, or JSON, which is YAML). */
export function applyCommand(program: Command): void {
  withServer(program.command('apply'))
    .description('make targets, alert rules, webhooks and silences of a server what a file says')
    .argument(
      '<file>',
      'YAML or JSON file, - for standard input; texts in it may name variables of the environment',
      (path) => ({
        path,
        text: readFile(path),
      }),
    )
    .option('--dry-run', 'only print what would be done')
    .option('--prune', 'also delete what is not in the file, of the kinds that are in it')
    .addOption(
      new Option(
        '--from <program>',
        'take over the targets of a configuration of Gatus, of a backup of Uptime Kuma 1, or of a prometheus.yml with jobs of blackbox_exporter',
      )
        .choices(Object.keys(READERS))
        .conflicts('prune'),
    )
    .option('--modules <file>', 'with --from blackbox: the blackbox.yml with the modules that its jobs name', readFile)
    .action(async (file: File, typed: Applying) => {
      const { from, modules } = typed;
      if (modules !== undefined && from !== 'blackbox') throw new StartError('--modules goes with --from blackbox.');
      if (from === undefined) await applyFile(file, typed);
      else await takeOver(READERS[from](file.text, modules ?? null), typed);
    });
}

async function applyFile(file: File, typed: Applying): Promise<void> {
  const { document, lines } = parseFile(file, process.env);
  const place = (field: string) => `${file.path}${placeOf(field, document, lines)}`;
  process.stdout.write(planText(await put(typed, document.toJS() ?? {}, place)));
}

/** Makes things of a server what a document says. Throws as `askServer` does. */
async function put(typed: Applying, document: unknown, place: (field: string) => string): Promise<ConfigurationPlan> {
  const { dryRun = false, prune = false, from } = typed;
  // What is taken over once from another monitor is not kept as code.
  const asked = { dryRun, prune, managed: from === undefined };
  const query = new URLSearchParams(Object.entries(asked).map(([name, value]) => [name, String(value)]));
  const init = { method: 'PUT', body: JSON.stringify(document), signal: AbortSignal.timeout(TIMEOUT_MS) };
  return ConfigurationPlan.parse(await (await askServer(typed, `${PATH}?${query}`, init, place)).json());
}

/** Applies the targets of another monitor, without those that the server refuses: a private address, for example. */
async function takeOver(imported: Imported, typed: Applying): Promise<void> {
  for (;;) {
    const targets = imported.taken.map(({ target }) => target);
    try {
      const plan = await put(typed, { targets }, () => '');
      process.stdout.write(`${planText(plan)}${leftText(imported)}`);
      return;
    } catch (error) {
      const refused = error instanceof RefusedError ? error.errors : [];
      const of = (index: number) => refused.filter(({ field }) => field.startsWith(`targets.${index}.`));
      const taken = imported.taken.filter((_, index) => of(index).length === 0);
      if (taken.length === targets.length) throw error;
      const left = targets.flatMap(({ name }, index) => {
        const reasons = of(index).map(({ field, message }) => `${field.replace(/^targets\.\d+\./, '')} ${message}`);
        return reasons.length === 0 ? [] : [{ name, reasons }];
      });
      imported = { taken, left: [...imported.left, ...left] };
    }
  }
}

type Exporting = Server & { results?: boolean; out?: string } & { [Format in ExportFormat]?: boolean };

/** `roundtrip export`: the file that `apply` takes, or all results of a day. */
export function exportCommand(program: Command): void {
  const command = withServer(program.command('export'))
    .description(
      'print targets, alert rules, webhooks and silences of a server as YAML, secrets masked; or fetch all results of a day into a file',
    )
    .argument('[day]', 'with --results: a day of UTC that is over, such as 2026-11-28', (name) => dayOf(name))
    .option('--results', 'all results of a day instead, in one file')
    .option('--out <file>', 'with --results: the file to make (default: roundtrip-results-DAY.parquet)');
  for (const format of EXPORT_FORMATS)
    command.addOption(
      new Option(`--${format}`, `with --results: as ${format}${format === 'parquet' ? ' (default)' : ''}`).conflicts(
        EXPORT_FORMATS.filter((other) => other !== format),
      ),
    );
  command.action(async (day: Day | undefined, typed: Exporting) => {
    const format = EXPORT_FORMATS.find((each) => typed[each]);
    if (typed.results !== true) {
      if (day ?? format ?? typed.out) throw new StartError('A day, its format and --out go with --results.');
      await printConfiguration(typed);
    } else if (day) await exportResults(typed, day, format ?? 'parquet', typed.out);
    else throw new StartError('--results needs a day of UTC, such as 2026-11-28.');
  });
}

async function printConfiguration(typed: Server): Promise<void> {
  const answer = await askServer(typed, PATH, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const exported = ConfigurationExport.parse(await answer.json());
  process.stdout.write(`# yaml-language-server: $schema=${addressOf(typed, PATH)}/schema\n${stringify(exported)}`);
}

/** A file as it was written, with the environment's values in it. Throws StartError, with line and column, for what is no YAML. */
export function parseFile(
  { path, text }: File,
  env: Record<string, string | undefined>,
): { document: Document; lines: LineCounter } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number) => `${path}:${lines.linePos(offset).line}:${lines.linePos(offset).col}`;
  const [wrong] = document.errors;
  if (wrong) throw new StartError(`${at(wrong.pos[0])}: ${wrong.message}.`);
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value !== 'string') return;
      node.value = node.value.replaceAll(/\$\{([A-Za-z_]\w*)\}/g, (_all, name: string) => {
        const value = env[name];
        if (value === undefined) throw new StartError(`${at(node.range?.[0] ?? 0)}: the environment has no ${name}.`);
        return value;
      });
    },
  });
  return { document, lines };
}

/** Where in the file a field such as `targets.1.url` stands, as `:line:column`; of the nearest thing around it where it is not there. */
export function placeOf(field: string, document: Document, lines: LineCounter): string {
  const path = field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  for (; path.length > 0; path.pop()) {
    const node = document.getIn(path, true);
    const range = isScalar(node) || (typeof node === 'object' && node !== null && 'range' in node) ? node.range : null;
    if (!Array.isArray(range)) continue;
    const { line, col } = lines.linePos(Number(range[0]));
    return `:${line}:${col}`;
  }
  return '';
}

const SIGNS = { create: '+', change: '~', delete: '-' };
const NOUNS: Record<ConfigurationStep['section'], string> = {
  targets: 'target',
  alertRules: 'alert rule',
  webhooks: 'webhook',
  silences: 'silence',
};

/** A line a step, and below it what a change is of. */
export function planText({ applied, unchanged, steps }: ConfigurationPlan): string {
  const lines = steps.flatMap(({ section, name, action, fields }) => [
    `${SIGNS[action]} ${action} ${NOUNS[section]} ${name}`,
    ...fields.map(({ field, before, after }) => `    ${field}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`),
  ]);
  const sum = `${steps.length} ${applied ? 'done' : 'to do'}, ${unchanged} unchanged${applied ? '' : ' (dry run: nothing was done)'}`;
  return [...lines, sum].map((line) => `${line}\n`).join('');
}
