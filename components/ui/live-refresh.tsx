import { Refresher } from './refresher.tsx';

/** Renders the page again every `seconds` while it is visible and the server is there. */
export function LiveRefresh({ seconds }: { seconds: number }) {
  return <Refresher seconds={seconds} at={Date.now()} />;
}
