import { toPromptText } from '../backend/prompt-text.ts';
import type { ProviderRequest } from '../provider-port.ts';

/** Replaces the agent's own instructions, which are for a programmer. */
export const INSTRUCTIONS =
  'Make exactly one image: call the image generation tool exactly once, with the prompt that the user gives, word for word. Where the user attaches images, pass the paths of all of them in their order as referenced images. Where the user wants a change of an earlier image of this conversation, include the last images. Never call it a second time, even if it fails. Then say "done".';

/** The input of one turn: the text, and the staged files of sources and references in that order. */
export function toTurnInput(request: ProviderRequest, paths: readonly string[]): readonly object[] {
  return [
    { type: 'text', text: toText(request), text_elements: [] },
    // Without `detail` some versions shrink the image.
    ...paths.map((path) => ({ type: 'localImage', path, detail: 'original' })),
  ];
}

/** The tool takes nothing but a prompt, so that the one parameter that can differ is in words here. */
function toText(request: ProviderRequest): string {
  const text = toPromptText(request);
  return request.parameters.background === 'opaque' ? `${text}\n\nThe background is opaque.` : text;
}
