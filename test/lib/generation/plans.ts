import type { CapabilityDocument } from '../../../lib/contract/resources/provider.ts';
import type { GenerationRequest } from '../../../lib/generation/generation-request.ts';
import { makePlan, type Plan } from '../../../lib/generation/plan/plan.ts';
import { createScriptedProvider } from '../../support/scripted-provider.ts';
import { anything } from './capability-documents.ts';

/** Plans a request for a provider with one model that has these capabilities. */
export function planOf(
  request: GenerationRequest,
  capabilities: CapabilityDocument = anything,
  { provider = createScriptedProvider({ capabilities }), model = 'scripted-image' } = {},
): Plan {
  return makePlan('request-1', request, { provider, model, capabilities });
}
