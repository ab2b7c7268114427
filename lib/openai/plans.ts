import type { OpenAiPlanRequest } from '../contract/openai/plan.ts';
import type { ImagePlan, PlannedRoute } from '../contract/reply/image-plan.ts';
import type { PlanInput } from '../contract/request/image-input.ts';
import type { PlanRequest } from '../contract/request/image-request.ts';
import type { RequestContext } from '../contract/request/request-context.ts';
import type { RequestLimits } from '../contract/schema/request-limits.ts';
import type { ImagePlans } from '../image-requests/image-plans.ts';
import { toCallersDetails, toCallersError } from './field-names.ts';
import { imagesOf, imagesOfJson } from './images.ts';
import type { Models } from './models.ts';
import { type SentRequest, type Translation, toImageRequest } from './to-image-request.ts';
import { inCallersWords } from './to-response.ts';

interface Deps {
  readonly imagePlans: ImagePlans;
  readonly models: Pick<Models, 'resolve'>;
  readonly limits: RequestLimits;
}

export type Plans = ReturnType<typeof createPlans>;

/** Plans a request of either wire. What a row of a plan names, it names as the reply to that request would. */
export function createPlans({ imagePlans, ...deps }: Deps) {
  async function planOpenAi(
    sent: SentRequest<PlanInput>,
    context: RequestContext,
  ): Promise<ImagePlan> {
    const translation = toImageRequest(sent, deps);
    try {
      const { chosen, routes } = await imagePlans.plan(translation.request, context);
      return { chosen, routes: routes.map((route) => toCallersRoute(route, translation)) };
    } catch (thrown) {
      throw toCallersError(thrown, translation.nameOf);
    }
  }

  return {
    /** Throws `invalid_request`, `configuration`. */
    async plan(body: PlanRequest | OpenAiPlanRequest, context: RequestContext): Promise<ImagePlan> {
      if (!('openai' in body)) return imagePlans.plan(body, context);
      try {
        return await planOpenAi(toSentRequest(body.openai), context);
      } catch (thrown) {
        // Here its fields are those of a member of the body.
        throw toCallersError(thrown, (path) => `openai.${path}`);
      }
    },
  };
}

function toSentRequest(body: OpenAiPlanRequest['openai']): SentRequest<PlanInput> {
  const { fields } = body;
  return 'images' in fields
    ? { operation: 'edit', body, images: imagesOfJson<PlanInput>(fields) }
    : { operation: 'generate', body, images: imagesOf<PlanInput>(fields.bridge_ext) };
}

function toCallersRoute(route: PlannedRoute, translation: Translation<PlanInput>): PlannedRoute {
  const { error, calls } = route;
  const inWords = calls === 0 ? route : { ...route, ...inCallersWords(route, translation) };
  if (!error) return inWords;
  const details = toCallersDetails(error.details, translation.nameOf);
  return { ...inWords, error: { ...error, details } };
}
