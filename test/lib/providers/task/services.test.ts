import { BFL } from '../../../../lib/providers/task/services/bfl.ts';
import { RELAY } from '../../../../lib/providers/task/services/relay.ts';
import { describeTaskService } from '../../../contracts/task-service.ts';
import { BFL_UPSTREAM } from '../../../support/task-upstream/services/bfl.ts';
import { RELAY_UPSTREAM } from '../../../support/task-upstream/services/relay.ts';
import { someInputs } from '../agent-responses/requests.ts';

describeTaskService({
  service: BFL,
  emulated: BFL_UPSTREAM,
  billed: (amount) => ({ cost: { amount } }),
  refused: { images: someInputs(5), references: someInputs(4) },
});

describeTaskService({
  service: RELAY,
  emulated: RELAY_UPSTREAM,
  billed: () => ({}),
});
