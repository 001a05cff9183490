/** The steps of a new installation, in their order. */
export const STEPS = ['watch', 'place', 'alerts'] as const;
export type StepName = (typeof STEPS)[number];

/** The steps that are named in a cookie or query, with dots between; anything else in it is left out. */
export function readSteps(text: string | null | undefined): StepName[] {
  const named = (text ?? '').split('.');
  return STEPS.filter((step) => named.includes(step));
}
