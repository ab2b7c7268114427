import { PlanBody } from '../../lib/contract/openai/plan.ts';
import { ImagePlan } from '../../lib/contract/reply/image-plan.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** POST /v1/plan: what would become of a request on each of its routes; nothing is decoded, called or stored. */
export const handler = operation<'plans'>()({
  id: 'planImage',
  summary: 'Plan images without making them',
  protection: 'read',
  request: { body: PlanBody },
  reply: {
    status: 200,
    description:
      'One row a route, in the order in which they are tried. Nothing is decoded, called or stored, and an idempotency key has no effect. What is known without the pixels of an image and without asking a provider is the same as in the reply to the request itself.',
    body: ImagePlan,
  },
  errors: ['configuration', 'overloaded'],
  async handle({ body, context, services }) {
    return ok(await services.plans.plan(body, context));
  },
});
