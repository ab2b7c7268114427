import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import type { PlannedRequest } from '../generation-request.ts';
import { negotiateInputs } from './negotiate-inputs.ts';
import { isMaskEmulated, maskWarnings, planMask, refuseClosedMask } from './negotiate-mask.ts';
import { negotiateFormat, negotiateOptions } from './negotiate-options.ts';
import { negotiateSize } from './negotiate-size.ts';
import {
  type Circumstances,
  type NegotiatedRequest,
  type Negotiation,
  note,
  refuse,
  startNegotiation,
  throwRefusals,
} from './negotiation.ts';
import { planTransparency } from './transparency.ts';

/**
 * Fits a request to what one model can do (contract.md 2, "Negotiation"). `strict` refuses what does not fit, `normalize`
 * changes it to the nearest thing and says so, `best_effort` also drops optional fields. Throws `unsupported_capability`, and
 * `input` for a mask that makes no sense.
 */
export function negotiate(
  request: PlannedRequest,
  capabilities: CapabilityDocument,
  circumstances: Circumstances = {},
): NegotiatedRequest {
  const negotiation = startNegotiation(request, capabilities, circumstances);
  const { dropsReferences } = negotiateInputs(negotiation);
  negotiateSession(negotiation);
  const mask = isMaskEmulated(negotiation) ? planMask(negotiation) : undefined;
  if (!mask) negotiateSize(negotiation);
  negotiateOptions(negotiation);
  const transparency = planTransparency(negotiation, request.prompt);
  if (mask && transparency.kind === 'chroma_key') {
    refuse(negotiation, 'parameters.background', { reason: 'mask_excludes_chroma_key' });
  }
  const isMadeHere = mask !== undefined || transparency.kind === 'chroma_key';
  const providerFormat = negotiateFormat(negotiation, isMadeHere);
  const { warnings, ...prompts } = negotiatePrompts(negotiation, request);
  throwRefusals(negotiation);
  if (mask) refuseClosedMask(negotiation);
  const { effective, normalizations } = negotiation;
  return {
    effective,
    providerFormat,
    ...prompts,
    dropsReferences,
    transparency,
    mask,
    normalizations,
    warnings: [...warnings, ...(mask ? maskWarnings(mask, effective) : [])],
  };
}

function negotiateSession(negotiation: Negotiation): void {
  const { session } = negotiation.request;
  const { persistent_sessions, explicit_threads } = negotiation.capabilities;
  const isSupported =
    session.mode === 'isolated' ||
    (session.mode === 'persistent' && persistent_sessions) ||
    (session.mode === 'thread' && explicit_threads);
  if (!isSupported) refuse(negotiation, 'session.mode');
}

type Prompts = Pick<NegotiatedRequest, 'prompt' | 'negativePrompt' | 'warnings'>;

/** Where the negative prompt goes, and whether a revised one can come back. */
function negotiatePrompts(
  negotiation: Negotiation,
  { prompt, negative_prompt: negative }: PlannedRequest,
): Prompts {
  const { request, capabilities } = negotiation;
  const { policies } = request;
  if (policies.revised_prompt === 'require' && capabilities.revised_prompt === 'unsupported') {
    refuse(negotiation, 'policies.revised_prompt');
  }
  const plain: Prompts = { prompt, negativePrompt: undefined, warnings: [] };
  if (negative === null) return plain;
  switch (wayOfNegativePrompt(negotiation)) {
    case 'native':
      return { ...plain, negativePrompt: negative };
    case 'merge':
      return {
        ...plain,
        prompt: `${prompt}\n\nAvoid: ${negative}`,
        warnings: ['negative_prompt_merged'],
      };
    case 'drop':
      // Whether, not what: rows of normalizations go where prompts do not.
      note(negotiation, 'negative_prompt', true, false, 'provider_unsupported');
      return plain;
    case 'refuse':
      refuse(negotiation, 'negative_prompt');
      return plain;
  }
}

/** Merging is always possible, because it is text; it happens where the policy or the model calls for it. */
function wayOfNegativePrompt({
  request,
  capabilities,
  mode,
}: Negotiation): 'native' | 'merge' | 'drop' | 'refuse' {
  const { negative_prompt: support } = capabilities;
  switch (request.policies.negative_prompt) {
    case 'reject':
      return 'refuse';
    case 'merge':
      return 'merge';
    case 'native':
      if (support === 'native') return 'native';
      return mode === 'strict' ? 'refuse' : 'merge';
    case 'auto':
      if (support === 'native') return 'native';
      if (support === 'emulated') return 'merge';
      return mode === 'best_effort' ? 'drop' : 'refuse';
  }
}
