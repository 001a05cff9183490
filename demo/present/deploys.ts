import { type Deploy, type DeployKind, deployBefore, nextDeploy } from './script.ts';

/** The marker of a change of an origin. */
export type DeployMarker = { at: string; title: string; text: string };

export type DeployOptions = {
  kind: DeployKind;
  /** When the demo was made, ms since 1970. */
  madeAtMs: number;
  /** Gives the origin its setting. */
  set: (costly: boolean) => void;
  /** Writes a marker; one that is given twice is to be written once. */
  mark: (marker: DeployMarker) => void;
  signal: AbortSignal;
};

/** Deploys the origin at its times, and now as it was deployed last, until the signal. */
export function deployOnTime({ kind, madeAtMs, set, mark, signal }: DeployOptions): void {
  const deploy = (current: Deploy) => {
    set(current.costly);
    mark({ at: new Date(current.atMs).toISOString(), ...wordsOf(kind, current) });
  };
  const waitForNext = (nowMs: number) => {
    const next = nextDeploy(kind, madeAtMs, nowMs);
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
  const last = deployBefore(kind, madeAtMs, now);
  if (last) deploy(last);
  waitForNext(now);
}

type Words = Omit<DeployMarker, 'at'>;

const WORDS: Record<DeployKind, { costly: Words; usual: Words }> = {
  costlyGroup: {
    costly: {
      title: 'Key exchange: P-384 alone',
      text: 'Clients that offer another group first need a second round trip.',
    },
    usual: { title: 'Key exchange: all groups again', text: '' },
  },
  lostSessions: {
    costly: {
      title: 'New load balancer in front of three nodes',
      text: 'The nodes do not share their ticket keys: sessions of one are refused by the others.',
    },
    usual: { title: 'Nodes share their ticket keys again', text: '' },
  },
};

const wordsOf = (kind: DeployKind, { costly }: Deploy): Words => WORDS[kind][costly ? 'costly' : 'usual'];
