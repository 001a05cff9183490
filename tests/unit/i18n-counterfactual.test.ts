import { describe, expect, it } from 'vitest';
import { translator } from '#i18n/translator.ts';

describe('what a counterfactual is said to be computed from', () => {
  const said = (language: 'en' | 'zh-CN', siblings: number) =>
    translator(language)('counterfactual.def', { time: '2026-11-21 20:30', series: 3, siblings });

  it('claims no more than is known: usual levels may be unknown, and a cause', () => {
    expect(said('en', 0)).toContain(
      'moved by the usual change from those hours to these as far as it is known, and by nothing else: no unaffected series to compare with, or no cause.',
    );
    expect(said('zh-CN', 0)).toContain('（已知时）推算，未作其他修正：没有可供比较的未受影响序列，或原因未知。');
  });

  it('names how many series were compared', () => {
    expect(said('en', 7)).toContain('as far as it is known, and by what 7 unaffected series did beyond that.');
    expect(said('zh-CN', 7)).toContain('再按 7 个未受影响序列的其余变化修正。');
  });
});
