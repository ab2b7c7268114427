import { PlanBatchResult } from '../../lib/contract/reply/plan-batch-result.ts';
import { PlanBatch } from '../../lib/contract/request/plan-batch.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** POST /v1/plan/batch: returns the plans of several prompts on several routes, with their sums. */
export const handler = operation<'plans'>()({
  id: 'planImageBatch',
  summary: 'Plan several prompts on several models without executing them',
  protection: 'read',
  request: { body: PlanBatch },
  reply: {
    status: 200,
    description:
      'One entry per route, in the order of the request, with the sums of its plans. Images are described or are artifacts. The bridge decodes no image, calls no provider and stores nothing.',
    body: PlanBatchResult,
  },
  errors: ['configuration', 'overloaded'],
  async handle({ body, context, services }) {
    return ok(await services.plans.planBatch(body, context));
  },
});
