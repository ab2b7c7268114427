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

/** The tool takes nothing but a prompt, so that all parameters are words here. */
function toText({ prompt, images, references, keyColor, parameters }: ProviderRequest): string {
  const sources = images.length;
  const notes = [
    ...(sources > 0 ? [`${numbered(1, sources)} to be edited.`] : []),
    ...(references.length > 0
      ? [`${numbered(sources + 1, sources + references.length)} for reference only.`]
      : []),
    ...(parameters.background === 'opaque' ? ['The background is opaque.'] : []),
    ...(keyColor === undefined
      ? []
      : [
          `Everything around the subject is one flat colour, exactly ${keyColor}, without shadows, gradients, texture or reflections; nothing of the subject has that colour.`,
        ]),
  ];
  return notes.length > 0 ? `${prompt}\n\n${notes.join(' ')}` : prompt;
}

function numbered(first: number, last: number): string {
  return first === last ? `Image ${first} is` : `Images ${first} to ${last} are`;
}
