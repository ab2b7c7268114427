import type { Warning } from '../contract/image-response.ts';
import type { CapabilityDocument } from '../contract/provider.ts';
import type { GenerationRequest } from './generation-request.ts';
import { negotiateInputs } from './negotiate-inputs.ts';
import { negotiateFormat, negotiateOptions } from './negotiate-options.ts';
import { negotiateSize } from './negotiate-size.ts';
import {
  type NegotiatedRequest,
  type Negotiation,
  refuse,
  startNegotiation,
  throwRefusals,
} from './negotiation.ts';
import { planTransparency } from './transparency.ts';

/**
 * Fits a request to what one model can do (contract.md 2, "Negotiation"). `strict` refuses what does not fit, `normalize`
 * changes it to the nearest thing and says so, `best_effort` also drops optional fields. Throws `unsupported_capability`.
 */
export function negotiate(
  request: GenerationRequest,
  capabilities: CapabilityDocument,
): NegotiatedRequest {
  const negotiation = startNegotiation(request, capabilities);
  const { dropsReferences } = negotiateInputs(negotiation);
  negotiateSession(negotiation);
  negotiateSize(negotiation);
  negotiateOptions(negotiation);
  const transparency = planTransparency(negotiation);
  const providerFormat = negotiateFormat(negotiation);
  const prompts = negotiatePrompts(negotiation);
  throwRefusals(negotiation);
  return {
    effective: negotiation.effective,
    providerFormat,
    ...prompts,
    dropsReferences,
    transparency,
    normalizations: negotiation.normalizations,
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

/** Where the negative prompt goes, and whether a revised one can come back. */
function negotiatePrompts(
  negotiation: Negotiation,
): Pick<NegotiatedRequest, 'prompt' | 'negativePrompt' | 'warnings'> {
  const { request, capabilities, mode } = negotiation;
  const { prompt, negative_prompt: negative, policies } = request;
  if (policies.revised_prompt === 'require' && capabilities.revised_prompt === 'unsupported') {
    refuse(negotiation, 'policies.revised_prompt');
  }
  const plain = { prompt, negativePrompt: undefined, warnings: [] };
  if (negative === null) return plain;
  const isNative = capabilities.negative_prompt === 'native';
  if (isNative && policies.negative_prompt !== 'merge') {
    return { prompt, negativePrompt: negative, warnings: [] };
  }
  const mayMerge =
    policies.negative_prompt === 'merge' ||
    (policies.negative_prompt === 'auto' && capabilities.negative_prompt === 'emulated') ||
    (policies.negative_prompt === 'native' && mode !== 'strict');
  if (mayMerge) {
    const warnings: Warning[] = ['negative_prompt_merged'];
    return { prompt: `${prompt}\n\nAvoid: ${negative}`, negativePrompt: undefined, warnings };
  }
  if (mode === 'best_effort' && policies.negative_prompt === 'auto') {
    negotiation.normalizations.push({
      field: 'negative_prompt',
      requested: true,
      effective: null,
      reason: 'provider_unsupported',
    });
    return plain;
  }
  refuse(negotiation, 'negative_prompt');
  return plain;
}
