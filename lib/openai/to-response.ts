import type {
  ImagesEventWithBytes,
  ImagesResponse,
  ImagesResponseWithBytes,
} from '../contract/openai/response.ts';
import {
  type ImageResponseWithBytes,
  type ImageWithBytes,
  type Usage,
  WARNINGS,
} from '../contract/reply/image-response.ts';
import type { StreamEventWithBytes } from '../contract/reply/stream-events.ts';
import type { Translation } from './to-image-request.ts';

type Naming = Pick<Translation, 'nameOf' | 'ignored' | 'aliases'>;

/** Converts a reply to OpenAI's format. */
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

/** Converts an image. These routes return only bytes and URLs. */
function toData(image: ImageWithBytes): ImagesResponseWithBytes['data'] {
  const { revised_prompt } = image;
  const revised = revised_prompt === undefined ? {} : { revised_prompt };
  if (image.type === 'b64_json') return [{ b64_json: image.b64_json, ...revised }];
  return image.type === 'url' ? [{ url: image.url, ...revised }] : [];
}

/** Returns the effective parameters under OpenAI's names. Omits unknown values. */
function effectiveOf({
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
 * Returns the token counts under OpenAI's names, with the details that official clients require. Input tokens that the provider
 * does not report as image tokens are counted as text tokens.
 */
function usageOf(usage: Usage | undefined): Pick<ImagesResponse, 'usage'> {
  const { input_tokens, output_tokens, total_tokens, input_image_tokens = 0 } = usage ?? {};
  const sums = Object.entries({ input_tokens, output_tokens, total_tokens }).filter(
    ([, count]) => count !== undefined,
  );
  if (sums.length === 0) return {};
  const image_tokens = input_image_tokens;
  const text_tokens = Math.max(0, (input_tokens ?? 0) - image_tokens);
  const details = { input_tokens_details: { text_tokens, image_tokens } };
  return { usage: { ...Object.fromEntries(sums), ...details } };
}

function sizeOf({ width, height }: Pick<ImageWithBytes, 'width' | 'height'>): string {
  return `${width}x${height}`;
}

/** Returns the common size of all images, or undefined if the sizes differ. */
function commonSize(data: ImageResponseWithBytes['data']): string | undefined {
  const [size, ...others] = new Set(data.map(sizeOf));
  return others.length === 0 ? size : undefined;
}

/** Returns the names of the fields that the bridge or the model has ignored. */
function ignoredOf(
  { normalizations }: Pick<Changes, 'normalizations'>,
  { ignored }: Pick<Naming, 'ignored'>,
): string[] {
  const hasIgnored = normalizations.some(
    ({ field, effective }) => field === 'parameters.complexity' && effective === null,
  );
  return hasIgnored ? [...ignored, 'complexity'] : [...ignored];
}

function toReport(response: ImageResponseWithBytes, naming: Naming): ImagesResponse['bridge_ext'] {
  const ignored = ignoredOf(response, naming);
  const { id, provider, model, effective, attempts, session, cost, timings, delivered } = response;
  const { normalizations, warnings } = withCallersFields(response, naming);
  return {
    id,
    provider,
    model,
    effective,
    normalizations,
    ...(attempts ? { attempts } : {}),
    ...(session ? { session } : {}),
    ...(cost ? { cost } : {}),
    timings,
    delivered,
    ...provenanceOf(response),
    ...(ignored.length > 0 ? { ignored_parameters: ignored } : {}),
    warnings,
  };
}

/** Returns the provenance of all images. Omitted if any image is of an earlier version, because the order is that of the images. */
function provenanceOf({
  data,
}: ImageResponseWithBytes): Pick<ImagesResponse['bridge_ext'], 'provenance'> {
  const provenance = data.flatMap((image) => image.provenance ?? []);
  return provenance.length === data.length ? { provenance } : {};
}

type Changes = Pick<ImageResponseWithBytes, 'normalizations' | 'warnings'>;

/** Returns the normalizations and warnings with the caller's field names. */
export function withCallersFields({ normalizations, warnings }: Changes, naming: Naming): Changes {
  const { nameOf, aliases } = naming;
  const all = new Set(warnings);
  if (ignoredOf({ normalizations }, naming).length > 0) all.add('ignored_parameters');
  return {
    normalizations: [
      ...aliases,
      ...normalizations.map((row) => ({ ...row, field: nameOf(row.field) })),
    ],
    warnings: WARNINGS.filter((warning) => all.has(warning)),
  };
}

type Asked = Pick<Translation, 'request' | 'ignored'>;
type Prefix = 'image_generation' | 'image_edit';

/** Converts a native stream to OpenAI's events: partial images when they arrive, then one event for each image. */
export async function* toImagesEvents(
  events: AsyncIterable<StreamEventWithBytes>,
  asked: Asked,
): AsyncGenerator<ImagesEventWithBytes> {
  const prefix = asked.request.operation === 'edit' ? 'image_edit' : 'image_generation';
  let created_at = 0;
  for await (const event of events) {
    if (event.type === 'started') created_at = event.created;
    if (event.type === 'partial_image') {
      // Only the size and the format are known before completion. Official clients require the other members.
      yield {
        type: `${prefix}.partial_image`,
        partial_image_index: event.partial_index,
        b64_json: event.b64_json,
        created_at,
        size: sizeOf(event),
        quality: 'auto',
        background: 'auto',
        output_format: event.format,
        ...(asked.request.parameters.n > 1 ? { index: event.index } : {}),
      };
    }
    if (event.type === 'completed') yield* toCompleted(event.response, prefix, asked);
  }
}

/** Creates one event for each image. The last event contains the usage of the whole request. */
function* toCompleted(
  response: ImageResponseWithBytes,
  prefix: Prefix,
  asked: Asked,
): Generator<ImagesEventWithBytes> {
  const { request } = asked;
  const ignored = ignoredOf(response, asked);
  const { data, created: created_at, usage } = response;
  const { quality, background, size } = effectiveOf(response);
  for (const image of data) {
    // A stream always requests bytes.
    if (image.type !== 'b64_json') continue;
    const isLast = image === data.at(-1);
    yield {
      type: `${prefix}.completed`,
      b64_json: image.b64_json,
      created_at,
      size: size ?? sizeOf(image),
      quality: quality ?? 'auto',
      background: background ?? 'auto',
      output_format: image.format,
      ...(request.parameters.n > 1 ? { index: image.index } : {}),
      ...(isLast ? usageOf(usage) : {}),
      ...toBridgeExt(image, isLast ? ignored : []),
    };
  }
}

function toBridgeExt({ provenance }: ImageWithBytes, ignored: readonly string[]) {
  if (provenance === undefined && ignored.length === 0) return {};
  return {
    bridge_ext: {
      ...(ignored.length > 0 ? { ignored_parameters: [...ignored] } : {}),
      ...(provenance && { provenance }),
    },
  };
}
