import type { CallFacts } from '../provider-port.ts';

const PARAMETERS: ReadonlySet<string> = new Set([
  'n',
  'size',
  'quality',
  'output_format',
  'output_compression',
  'background',
  'moderation',
  'partial_images',
  'input_fidelity',
]);

const IMAGE = /^image(?:\[\])?(?:\[(\d{1,3})\])?$/;

/** Our field for the `param` of an error; undefined for a field that no request of ours has. */
export function fieldOf(
  param: string | undefined,
  { images, references, maskImage }: CallFacts,
): string | undefined {
  if (param === undefined) return undefined;
  if (PARAMETERS.has(param)) return `parameters.${param}`;
  if (param === 'prompt' || param === 'mask') return param;
  if (param === 'model') return 'routing.model';
  const image = IMAGE.exec(param);
  if (!image) return undefined;
  // They count all of them together, in the order of `sentImages`.
  const sent = [
    ...images.map((_, index) => `images[${index}]`),
    ...(maskImage ? ['mask'] : []),
    ...references.map((_, index) => `reference_images[${index}]`),
  ];
  return sent[Number(image[1] ?? 0)];
}
