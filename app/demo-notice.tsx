import { DemoBanner } from '#components/shell/demo-banner.tsx';
import { demoState } from '#server/demo/demo.ts';
import { frameReader } from './access.ts';
import { removeDemoAction } from './demo-actions.ts';
import { valueOrTrouble } from './page-trouble.tsx';
import { requestUi } from './request-ui.ts';

/** The demo's banner, for pages that show any of its data. */
export async function DemoNotice() {
  const [ui, reader, demo] = await Promise.all([requestUi(), frameReader(), valueOrTrouble(demoState(), null)]);
  if (!demo?.present) return null;
  const { targets, vantages } = demo;
  const remove = reader === 'admin' ? removeDemoAction : null;
  return <DemoBanner ui={ui} targets={targets} vantages={vantages} remove={remove} />;
}
