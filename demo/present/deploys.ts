import { type Deploy, deployBefore, nextDeploy } from './script.ts';

/** A change of an origin that is told with a marker. */
export type NotificationState = { at: string; title: string; text: string };

export type DeployOptions = {
  /** When the demo was made, ms since 1970. */
  madeAtMs: number;
  /** Gives the origin its setting. */
  set: (costly: boolean) => void;
  /** Writes a marker; what is told twice is to be written once. */
  tell: (told: NotificationState) => void;
  signal: AbortSignal;
};

/** Deploys the origin at its times, and now as it was deployed last, until the signal. */
export function deployOnTime({ madeAtMs, set, tell, signal }: DeployOptions): void {
  const deploy = (current: Deploy) => {
    set(current.costly);
    tell({ at: new Date(current.atMs).toISOString(), ...wordsOf(current) });
  };
  const waitForNext = (nowMs: number) => {
    const next = nextDeploy(madeAtMs, nowMs);
    const timer = setTimeout(
      () => {
        deploy(next);
        waitForNext(next.atMs);
      },
      Math.max(0, next.atMs - Date.now()),
    );
    timer.unref();
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  };
  const now = Date.now();
  const last = deployBefore(madeAtMs, now);
  if (last) deploy(last);
  waitForNext(now);
}

function wordsOf({ costly }: Deploy): Omit<NotificationState, 'at'> {
  return costly
    ? { title: 'Key exchange: P-384 alone', text: 'Clients that offer another group first need a second round trip.' }
    : { title: 'Key exchange: all groups again', text: '' };
}
