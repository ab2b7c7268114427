import type { Usage } from '../../contract/reply/image-response.ts';
import { utf8Bytes } from '../../contract/schema/text.ts';
import type { ProviderRequest } from '../provider-port.ts';
import type { Edges } from './output-size.ts';

const OUTPUT_TOKENS = { auto: 1056, low: 272, medium: 1056, high: 4160, xhigh: 4160, max: 4160 };
const TILE_PX = 512;
const TILE_TOKENS = 170;

/** Plausible numbers, always the same for the same request. Nothing is charged. */
export function usageOf(request: ProviderRequest, { width, height }: Edges): Usage {
  const text = Math.ceil((utf8Bytes(request.prompt) + utf8Bytes(request.negativePrompt ?? '')) / 4);
  const images = [...request.images, ...request.references].reduce(
    (sum, image) =>
      sum + Math.ceil(image.width / TILE_PX) * Math.ceil(image.height / TILE_PX) * TILE_TOKENS,
    0,
  );
  const each = Math.ceil((OUTPUT_TOKENS[request.parameters.quality] * width * height) / 1024 ** 2);
  const input = text + images;
  const output = each * request.indices.length;
  return { input_tokens: input, output_tokens: output, total_tokens: input + output };
}
