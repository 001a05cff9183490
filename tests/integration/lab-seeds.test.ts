import { expect, it } from 'vitest';
import { measureStates, tripsOf } from '#tests/lab/seeds/nginx.ts';
import { labTestbed } from '#tests/lab/seeds/testbed.ts';
import { problem } from '../support/lab-scene.ts';

const RTT = 40;

// A moment of the machine may spoil the one probe of a state.
it.skipIf(problem !== null)(
  'the experiment of nginx takes 7, 6, 5 and 4 round trips from the look-up to the first usable byte',
  { retry: 2 },
  async () => {
    const testbed = await labTestbed();
    try {
      const { results } = await measureStates(testbed, RTT, 1);
      expect(Object.values(results).map(([result]) => result && tripsOf(result))).toEqual([7, 6, 5, 4]);
    } finally {
      await testbed.close();
    }
  },
);
