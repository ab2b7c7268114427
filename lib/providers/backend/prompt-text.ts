import type { ProviderRequest } from '../provider-port.ts';

/** The prompt, which image is which (sources come before references), and the background that is to be cut out. */
export function toPromptText({ prompt, images, references, keyColor }: ProviderRequest): string {
  const sources = images.length;
  const notes = [
    ...(sources > 0 ? [`${numbered(1, sources)} to be edited.`] : []),
    ...(references.length > 0
      ? [`${numbered(sources + 1, sources + references.length)} for reference only.`]
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
