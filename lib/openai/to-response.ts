import type { ImagesResponse, ImagesResponseWithBytes } from '../contract/openai/response.ts';
import {
  type ImageResponseWithBytes,
  type ImageWithBytes,
  type Usage,
  WARNINGS,
} from '../contract/reply/image-response.ts';
import type { Translation } from './to-image-request.ts';

type Naming = Pick<Translation, 'nameOf' | 'ignored' | 'aliases'>;

/** A reply under OpenAI's names: what took effect, as far as it is known, and in `bridge_ext` what only the bridge reports. */
export function toImagesResponse(
  response: ImageResponseWithBytes,
  naming: Naming,
): ImagesResponseWithBytes {
  return {
    created: response.created,
    data: response.data.flatMap(toData),
    ...effectiveOf(response),
    ...usageOf(response.usage),
    bridge_ext: toReport(response, naming),
  };
}

/** These routes ask for bytes and for addresses only. */
function toData(image: ImageWithBytes): ImagesResponseWithBytes['data'] {
  const revised =
    image.revised_prompt === undefined ? {} : { revised_prompt: image.revised_prompt };
  switch (image.type) {
    case 'b64_json':
      return [{ b64_json: image.b64_json, ...revised }];
    case 'url':
      return [{ url: image.url, ...revised }];
    default:
      return [];
  }
}

/** What took effect, under OpenAI's names; what is unknown is left out. */
export function effectiveOf({
  effective,
  data,
}: ImageResponseWithBytes): Pick<
  ImagesResponse,
  'background' | 'output_format' | 'quality' | 'size'
> {
  const { background, output_format, quality } = effective;
  const size = effective.size === 'auto' ? commonSize(data) : effective.size;
  return {
    ...(background === 'auto' ? {} : { background }),
    output_format,
    ...(quality === 'auto' ? {} : { quality }),
    ...(size === undefined ? {} : { size }),
  };
}

/**
 * The tokens under OpenAI's names, with the details that official clients demand wherever there is a usage. Those that the
 * provider does not report are of texts.
 */
export function usageOf(usage: Usage | undefined): Pick<ImagesResponse, 'usage'> {
  const { provider, ...tokens } = usage ?? {};
  if (Object.keys(tokens).length === 0) return {};
  const image_tokens = provider?.['input_image_tokens'] ?? 0;
  const text_tokens = Math.max(0, (tokens.input_tokens ?? 0) - image_tokens);
  return { usage: { ...tokens, input_tokens_details: { text_tokens, image_tokens } } };
}

/** What an image measures, as a request would say it. */
export function sizeOf({ width, height }: Pick<ImageWithBytes, 'width' | 'height'>): string {
  return `${width}x${height}`;
}

/** The one size that all images have. */
function commonSize(data: ImageResponseWithBytes['data']): string | undefined {
  const [size, ...others] = new Set(data.map(sizeOf));
  return others.length === 0 ? size : undefined;
}

function toReport(response: ImageResponseWithBytes, naming: Naming): ImagesResponse['bridge_ext'] {
  const { ignored } = naming;
  const { id, provider, model, effective, attempts, session, timings, delivered } = response;
  const { normalizations, warnings } = inCallersWords(response, naming);
  return {
    id,
    provider,
    model,
    effective,
    normalizations,
    ...(attempts ? { attempts } : {}),
    ...(session ? { session } : {}),
    timings,
    delivered,
    ...(ignored.length > 0 ? { ignored_parameters: [...ignored] } : {}),
    warnings,
  };
}

type Changes = Pick<ImageResponseWithBytes, 'normalizations' | 'warnings'>;

/** What became of the caller's own fields, by their own names. */
export function inCallersWords(
  { normalizations, warnings }: Changes,
  { nameOf, ignored, aliases }: Naming,
): Changes {
  const all = new Set(warnings);
  if (ignored.length > 0) all.add('ignored_parameters');
  return {
    normalizations: [
      ...aliases,
      ...normalizations.map((row) => ({ ...row, field: nameOf(row.field) })),
    ],
    warnings: WARNINGS.filter((warning) => all.has(warning)),
  };
}
