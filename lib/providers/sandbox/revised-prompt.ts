import type { ProviderRequest } from '../provider-port.ts';
import { lookOf } from './drawing/look.ts';
import { promptSeed } from './seeds.ts';

/** The prompt, followed by a description of the image that the sandbox draws. */
export function revisedPromptOf({
  prompt,
  negativePrompt,
  images,
  references,
}: ProviderRequest): string {
  const away = negativePrompt === undefined ? undefined : promptSeed(negativePrompt);
  const { composition, mood } = lookOf(promptSeed(prompt), away);
  const isColoredByImages = images.length > 1 || references.length > 0;
  const colors = isColoredByImages ? 'the colours of its references' : mood.name;
  const kind = images.length > 0 ? 'painted over with' : 'drawn as';
  return `${prompt} (${kind} ${composition.phrase}, in ${colors})`;
}
