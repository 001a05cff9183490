import { z } from 'zod';
import { DEMO_VANTAGES } from '#demo/places.ts';
import { addDemoMarker, demoMadeAt, demoState, ensureDemo, removeDemo } from '#server/demo/demo.ts';
import { listTargets } from '#server/targets/targets.ts';
import { pointDemoWebhook } from '#server/webhooks/demo-receiver.ts';
import type { DemoAnswer } from '../start/clerk.ts';

/** What the demo's process says (demo/main.ts). */
const OriginsListen = z.object({
  origins: z.array(
    z.object({ key: z.string(), name: z.string(), url: z.url(), caPem: z.string(), resume: z.boolean() }),
  ),
  /** Where messages of the demo's webhook are taken. */
  receiver: z.url(),
});
const OriginChanged = z.object({
  marker: z.object({ host: z.string(), at: z.iso.datetime(), title: z.string(), text: z.string() }),
});

/** Whether the demo is to run, and why in a few words. `--no-demo` removes one that is there. */
export async function decideDemo(wanted: boolean): Promise<{ run: boolean; why: string }> {
  const { present, removed } = await demoState();
  if (!wanted) {
    if (present) await removeDemo();
    return { run: false, why: present ? 'removed' : 'off' };
  }
  if (removed) return { run: false, why: 'off, it was removed' };
  const { data } = await listTargets({ limit: 1 });
  if (!present && data.length > 0) return { run: false, why: 'off, there are targets' };
  return { run: true, why: 'started: real TLS servers on this machine behind an emulated network, marked as demo' };
}

/** Answers the demo's process: it knows no database, so its targets, vantages and markers are made here. */
export async function answerDemo(message: unknown): Promise<DemoAnswer> {
  const changed = OriginChanged.safeParse(message);
  if (changed.success) await addDemoMarker(changed.data.marker);
  const listening = OriginsListen.safeParse(message);
  if (!listening.success) return {};
  const { origins, receiver } = listening.data;
  const token = await ensureDemo({ origins, vantages: DEMO_VANTAGES.map((vantage) => ({ ...vantage })) });
  if (token === null) return { rest: 'off, it was removed' };
  await pointDemoWebhook(receiver);
  const madeAt = await demoMadeAt();
  return { reply: { token, madeAtMs: madeAt?.getTime() } };
}
