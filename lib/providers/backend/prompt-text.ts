import type { ProviderRequest } from '../provider-port.ts';

/** The prompt, which image is which, in the order of `sentImages`, and the background that is to be cut out. */
export function toPromptText(request: ProviderRequest): string {
  const { prompt, images, maskImage, references, keyColor } = request;
  const sources = images.length;
  const edited = sources + (maskImage ? 1 : 0);
  const notes = [
    ...(sources > 0 ? [`${numbered(1, sources)} to be edited.`] : []),
    ...(maskImage
      ? [`Image ${edited} is a mask: image 1 may change only where image ${edited} is white.`]
      : []),
    ...(references.length > 0
      ? [`${numbered(edited + 1, edited + references.length)} for reference only.`]
      : []),
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
