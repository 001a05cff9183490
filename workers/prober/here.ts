import { ProbeSettings } from '#contract/target.ts';
import { realEnvironment } from '#probe/environment.ts';
import { warmUp } from '#probe/warm-up.ts';
import { Measuring, type MeasuringOptions } from './measuring.ts';

type Options = Omit<MeasuringOptions, 'environmentFor'> & Partial<Pick<MeasuringOptions, 'environmentFor'>>;

/** Measures in this thread, warm; through the machine's own network where no environments are given. */
export async function startHere(options: Options): Promise<Measuring> {
  const environment = realEnvironment();
  await warmUp(ProbeSettings.parse({}), environment);
  return new Measuring({ ...options, environmentFor: options.environmentFor ?? (() => environment) });
}
