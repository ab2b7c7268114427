import { PlanBody } from '../../lib/contract/openai/plan.ts';
import { ImagePlan } from '../../lib/contract/reply/image-plan.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/**
 * POST /v1/plan: returns the plan of a request for each of its routes. Does not decode images, call a provider or store
 * anything.
 */
export const handler = operation<'plans'>()({
  id: 'planImage',
  summary: 'Plan an image request without executing it',
  protection: 'read',
  request: { body: PlanBody },
  reply: {
    status: 200,
    description:
      'One entry per route, in the order in which the routes are tried. The bridge decodes no image, calls no provider and stores nothing. An idempotency key has no effect. All facts that do not depend on the pixels of an image or on a provider call are the same as in the reply to the image request itself.',
    body: ImagePlan,
  },
  errors: ['configuration', 'overloaded'],
  async handle({ body, context, services }) {
    return ok(await services.plans.plan(body, context));
  },
});
