import type { PasswordState } from '#server/access/admin.ts';
import type { Part } from './part.ts';
import { demoPart, demoPastPart, jobsPart, proberPart, serverPart, webPart } from './part-specs.ts';
import type { Start } from './running.ts';

/** Starts the jobs and the web: in one process, or in two where that was asked for. Returns that of the web. */
export async function startServing(start: Start): Promise<Part | null> {
  const { terminal, running, options } = start;
  if (!options.apart) return running.startPart('web', serverPart(start));
  await running.startPart('jobs', jobsPart(start));
  terminal.line('Jobs', 'started');
  return running.startPart('web', webPart(start));
}

/** Writes what was asked for into the database. Returns what became of the admin's password. */
export async function prepareInstallation({ terminal, options, clerk }: Start): Promise<PasswordState> {
  const added = await clerk.do('addTargets', options.targets);
  if (options.targets.length > 0) terminal.line('Targets', `${added} added, ${options.targets.length - added} known`);
  return clerk.do('ensureAdminPassword');
}

/** What measuring waits for. */
type Before = { installed: Promise<unknown>; serving: Promise<void> };

/** Starts the demo, where it is to run, and this machine's prober. */
export async function startMeasuring(start: Start, { installed, serving }: Before): Promise<void> {
  const { terminal, running, options, clerk } = start;
  await installed;
  const demo = await clerk.do('decideDemo', options.demo);
  if (demo.run) {
    // Once a start: the demo's process may be answered again when it was started again.
    let past: Promise<unknown> | null = null;
    const measured = () => {
      past ??= running.startPart('jobs', demoPastPart(start)).catch((error: unknown) => {
        past = null; // the next time that it says so is another try
        throw error;
      });
      return past;
    };
    await running.startPart('measuring', demoPart(start, serving, measured));
  }
  terminal.line('Demo', demo.why);
  // A prober that finds no server waits longer each time: it starts when there is one.
  await serving;
  const probing = await running.startPart('measuring', proberPart(start));
  terminal.line('Prober', probing ? 'started, for this machine' : 'off, the vantage of this machine was removed');
}
