import {
  type Negotiation,
  normalize,
  record,
  refuse,
  type TransparencyPlan,
} from './negotiation.ts';

/**
 * Decides how a transparent background comes about (specification 2.1, contract.md 2): by the provider's own alpha where
 * it has one, else by a key colour that is cut out here. JPEG has no alpha: refused, or delivered as PNG.
 */
export function planTransparency(negotiation: Negotiation): TransparencyPlan {
  const { effective, capabilities, request } = negotiation;
  const { mode, key_color: keyColor } = request.output.transparency;
  if (effective.background !== 'transparent') {
    if (!capabilities.backgrounds.includes(effective.background)) {
      normalize(negotiation, 'background', 'auto', 'normalized_to_provider_default');
    }
    return { kind: 'none' };
  }
  if (effective.output_format === 'jpeg') {
    const reason = 'transparent_output_requires_alpha_capable_format';
    normalize(negotiation, 'output_format', 'png', reason);
    if (negotiation.mode !== 'strict') effective.output_compression = null;
  }
  const isNative = capabilities.transparent_background === 'native';
  if (isNative && mode !== 'chroma_key') return { kind: 'native' };
  if (mode === 'native') {
    refuse(negotiation, 'parameters.background');
    return { kind: 'none' };
  }
  record(negotiation, 'background', 'transparent', 'provider_alpha_emulated_with_local_chroma_key');
  return { kind: 'chroma_key', keyColor };
}
