import { sentFields } from '../backend/sent-images.ts';
import type { CallFacts } from '../provider-port.ts';

const SIMPLE: ReadonlyMap<string, string> = new Map([
  ['prompt', 'prompt'],
  ['negative_prompt', 'negative_prompt'],
  ['image_size', 'parameters.size'],
  ['size', 'parameters.size'],
  ['width', 'parameters.size'],
  ['height', 'parameters.size'],
  ['aspect_ratio', 'parameters.aspect_ratio'],
  ['resolution', 'parameters.resolution'],
  ['image_resolution', 'parameters.resolution'],
  ['quality', 'parameters.quality'],
  ['background', 'parameters.background'],
  ['output_format', 'parameters.output_format'],
  ['image_format', 'parameters.output_format'],
  ['format', 'parameters.output_format'],
  ['output_quality', 'parameters.output_compression'],
  ['output_compression', 'parameters.output_compression'],
  ['mask', 'mask'],
  ['mask_url', 'mask'],
  ['mask_image_url', 'mask'],
]);

const IMAGE = /^(?:input_|reference_)?image(?:_prompt|_input|s|_urls?)?(?:_(\d{1,2}))?$/;

/**
 * Returns the bridge's name of an input that a service names in a failure, or undefined for an input that the bridge does
 * not send. `position` is the index in a list of images, if the service states it.
 */
export function requestFieldOf(
  input: string,
  request: CallFacts,
  position?: number,
): string | undefined {
  const simple = SIMPLE.get(input);
  if (simple !== undefined) return simple;
  const image = IMAGE.exec(input);
  if (!image) return undefined;
  // Services count all images together. Numbered inputs count from 1.
  return sentFields(request)[position ?? Number(image[1] ?? 1) - 1];
}
