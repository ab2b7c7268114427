import { describe, expect, it } from 'vitest';
import { BFL } from '../../../../lib/providers/task/services/bfl.ts';
import { FAL } from '../../../../lib/providers/task/services/fal.ts';
import { RELAY } from '../../../../lib/providers/task/services/relay.ts';
import { REPLICATE } from '../../../../lib/providers/task/services/replicate.ts';
import { runCuts } from '../../../support/task-upstream/cuts.ts';
import { BFL_UPSTREAM } from '../../../support/task-upstream/services/bfl.ts';
import { FAL_UPSTREAM } from '../../../support/task-upstream/services/fal.ts';
import { RELAY_UPSTREAM } from '../../../support/task-upstream/services/relay.ts';
import { REPLICATE_UPSTREAM } from '../../../support/task-upstream/services/replicate.ts';

const SERVICES = [
  { service: FAL, emulated: FAL_UPSTREAM },
  { service: REPLICATE, emulated: REPLICATE_UPSTREAM },
  { service: BFL, emulated: BFL_UPSTREAM },
  { service: RELAY, emulated: RELAY_UPSTREAM },
];
/** Number of calls over all services. `TASK_CUTS=1000` runs the whole proof. */
const CALLS = Number(process.env['TASK_CUTS'] ?? 48);

describe('createTaskProvider', () => {
  it('never submits a call twice if its submission is cut', async () => {
    const calls = Math.ceil(CALLS / SERVICES.length);

    const runs = await Promise.all(SERVICES.map((pair) => runCuts({ ...pair, calls })));

    for (const run of runs) {
      expect(run).toEqual({ sent: calls, doubled: 0, known: 0, violations: [] });
    }
  }, 300_000);
});
