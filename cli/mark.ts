import { type Command, InvalidArgumentError, Option } from 'commander';
import { COMPARE_MINUTES } from '#contract/comparison.ts';
import { MarkerCreate } from '#contract/marker.ts';
import { withDatabase } from './database/database.ts';
import { StartError } from './start-error.ts';

type Typed = { target: string; compare?: number; at?: string; url?: string };

/** `roundtrip mark`: notes a deploy or a change of a target, and asks for a comparison around it. Prints their addresses. */
export function markCommand(program: Command): void {
  program
    .command('mark')
    .description('mark a deploy or a change of a target, and compare before with after')
    .argument('<text>', 'what changed')
    .requiredOption('--target <name>', 'name or id of the target')
    .option('--compare <length>', 'compare so long before with as long after, such as 20m or 2h', minutesOf)
    .addOption(new Option('--at <time>', 'when it changed, RFC 3339 (default: now)'))
    .option('--url <address>', 'link to what changed')
    .action(async (title: string, typed: Typed) => {
      const lines = await withDatabase(() => mark(title, typed));
      process.stdout.write(lines.map((line) => `${line}\n`).join(''));
    });
}

async function mark(title: string, { target, compare, at, url }: Typed): Promise<string[]> {
  const { targetNamed } = await import('#server/targets/target-ref.ts');
  const { createMarker } = await import('#server/markers/markers.ts');
  const { id: targetId } = await targetNamed(target);
  const parsed = MarkerCreate.safeParse({
    title,
    targetId,
    ...(at === undefined ? {} : { at }),
    ...(url === undefined ? {} : { url }),
    ...(compare === undefined ? {} : { compareMinutes: compare }),
  });
  if (!parsed.success) throw new StartError(sentenceOf(parsed.error.issues[0]));
  const { id, comparisonId } = await createMarker(parsed.data, 'command line');
  return [`/api/v1/markers/${id}`, ...(comparisonId === null ? [] : [`/comparisons/${comparisonId}`])];
}

function sentenceOf(issue: { path: PropertyKey[]; message: string } | undefined): string {
  const field = String(issue?.path[0] ?? 'text');
  return `${field === 'title' ? 'The text' : `--${field}`} is invalid: ${issue?.message}.`;
}

/** `20m`, `2h` or `20` as minutes. */
function minutesOf(text: string): number {
  const [, number, unit = 'm'] = /^(\d{1,5})(m|h)?$/.exec(text) ?? [];
  const minutes = Number(number) * (unit === 'h' ? 60 : 1);
  const { least, most } = COMPARE_MINUTES;
  if (minutes >= least && minutes <= most) return minutes;
  throw new InvalidArgumentError(`It must be from ${least}m to ${most / 60}h, such as 20m.`);
}
