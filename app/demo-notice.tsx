import { DemoBanner } from '#components/shell/demo-banner.tsx';
import { demoState } from '#server/demo/demo.ts';
import { requestReader } from './access.ts';
import { removeDemoAction } from './demo-actions.ts';
import { requestUi } from './request-ui.ts';

/** The demo's banner, for pages that show any of its data. */
export async function DemoNotice() {
  const [ui, reader, { present, targets, vantages }] = await Promise.all([requestUi(), requestReader(), demoState()]);
  if (!present) return null;
  const remove = reader === 'admin' ? removeDemoAction : null;
  return <DemoBanner ui={ui} targets={targets} vantages={vantages} remove={remove} />;
}
