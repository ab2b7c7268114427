import { chooseKeyColor } from './choose-key-color.ts';
import {
  drop,
  type Negotiation,
  normalize,
  record,
  refuse,
  type TransparencyPlan,
} from './negotiation.ts';

const NONE: TransparencyPlan = { kind: 'none' };

/**
 * Decides how a transparent background comes about (specification 2.1, contract.md 2): by the provider's own alpha where
 * it has one, else by a key colour that is cut out here. JPEG has no alpha: refused, or delivered as PNG.
 */
export function planTransparency(negotiation: Negotiation, prompt: string): TransparencyPlan {
  const { effective, capabilities } = negotiation;
  const { background } = effective;
  if (background === 'auto') return NONE;
  if (background === 'opaque') {
    if (!capabilities.backgrounds.includes('opaque')) {
      normalize(negotiation, 'background', 'auto', 'normalized_to_provider_default');
    }
    return NONE;
  }
  const plan = planAlpha(negotiation, prompt);
  if (plan.kind !== 'none') leaveJpeg(negotiation);
  if (plan.kind === 'chroma_key') {
    const reason = 'provider_alpha_emulated_with_local_chroma_key';
    record(negotiation, 'background', 'transparent', reason);
  }
  return plan;
}

/** `auto` goes by what the model declares; what is asked for by name is done, or refused. */
function planAlpha(negotiation: Negotiation, prompt: string): TransparencyPlan {
  const { capabilities, request } = negotiation;
  const { mode, key_color: keyColor } = request.output.transparency;
  const declared = capabilities.transparent_background;
  if (mode !== 'chroma_key' && declared === 'native') return { kind: 'native' };
  if (mode === 'native') {
    refuse(negotiation, 'parameters.background');
    return NONE;
  }
  if (mode === 'auto' && declared === 'unsupported') {
    drop(negotiation, 'background', 'auto');
    return NONE;
  }
  return { kind: 'chroma_key', keyColor: keyColor ?? chooseKeyColor(prompt) };
}

function leaveJpeg(negotiation: Negotiation): void {
  const { effective, mode } = negotiation;
  if (effective.output_format !== 'jpeg') return;
  const reason = 'transparent_output_requires_alpha_capable_format';
  normalize(negotiation, 'output_format', 'png', reason);
  if (mode !== 'strict' && effective.output_compression !== null) {
    record(negotiation, 'output_compression', null, reason);
  }
}
