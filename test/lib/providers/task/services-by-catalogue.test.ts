import { FAL } from '../../../../lib/providers/task/services/fal.ts';
import { REPLICATE } from '../../../../lib/providers/task/services/replicate.ts';
import { describeTaskService } from '../../../contracts/task-service.ts';
import { FAL_MEGAPIXEL, FAL_UPSTREAM } from '../../../support/task-upstream/services/fal.ts';
import {
  REPLICATE_SECOND,
  REPLICATE_UPSTREAM,
} from '../../../support/task-upstream/services/replicate.ts';

describeTaskService({
  service: FAL,
  emulated: FAL_UPSTREAM,
  billed: (charge) => ({ billed: { units: Number(charge / FAL_MEGAPIXEL) } }),
  // fal does not charge for a failure of its runners, so the call may be repeated.
  failed: { code: 'upstream', transient: true, retryable: true },
});

describeTaskService({
  service: REPLICATE,
  emulated: REPLICATE_UPSTREAM,
  billed: (charge) => ({ billed: { seconds: Number(charge) / REPLICATE_SECOND } }),
});
