import { BridgeError } from '../../errors/bridge-error.ts';
import { toPromptText } from '../backend/prompt-text.ts';
import type { CallOutline, ProviderRequest } from '../provider-port.ts';
import type { Dialect } from './dialects.ts';

/** The text of a call that `refuseText` lets pass. */
export function toPrompt(
  request: ProviderRequest,
  { prompt: rules }: Dialect,
  seed: number,
): string {
  const text = toPromptText(withoutPlainSources(request));
  if (!rules) return text;
  return rules.write(text, { seed, negativePrompt: request.negativePrompt });
}

/** Images that are nothing but sources need no explanation here: what is sent to be edited is edited. */
function withoutPlainSources(request: ProviderRequest): ProviderRequest {
  const isMixed = request.references.length > 0 || request.maskImage !== undefined;
  return isMixed ? request : { ...request, images: [] };
}

/**
 * Throws `unsupported_capability` for a prompt with characters that the server takes for something else, and for a negative
 * prompt that is too long for its parser.
 */
export function refuseText(
  { prompt, negativePrompt = '' }: Pick<CallOutline, 'prompt' | 'negativePrompt'>,
  { prompt: rules }: Dialect,
): void {
  if (!rules) return;
  refuseReserved(prompt, 'prompt', rules.reserved);
  refuseReserved(negativePrompt, 'negative_prompt', rules.reserved);
  const max = rules.maxNegativeCharacters;
  if ([...negativePrompt].length <= max) return;
  const field = 'negative_prompt';
  throw new BridgeError(
    'unsupported_capability',
    `the backend takes no negative prompt of more than ${max} characters`,
    { param: field, details: { field, max_characters: max } },
  );
}

function refuseReserved(text: string, field: string, reserved: string): void {
  if (!text.includes(reserved)) return;
  throw new BridgeError('unsupported_capability', `the backend takes no prompt with ${reserved}`, {
    param: field,
    details: { field },
  });
}
