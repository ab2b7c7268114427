import type { ImagesEventWithBytes } from '../contract/openai/response.ts';
import type { ImageResponseWithBytes } from '../contract/reply/image-response.ts';
import type { StreamEventWithBytes } from '../contract/reply/stream-events.ts';
import type { Translation } from './to-image-request.ts';
import { effectiveOf, sizeOf, usageOf } from './to-response.ts';

type Asked = Pick<Translation, 'request' | 'ignored'>;
type Prefix = 'image_generation' | 'image_edit';
type Partial = Extract<StreamEventWithBytes, { type: 'partial_image' }>;

/** A stream of ours in OpenAI's events: the unfinished images as they come, and at the end one event an image. */
export async function* toImagesEvents(
  events: AsyncIterable<StreamEventWithBytes>,
  asked: Asked,
): AsyncGenerator<ImagesEventWithBytes> {
  const prefix = asked.request.operation === 'edit' ? 'image_edit' : 'image_generation';
  const isOneOfMany = asked.request.parameters.n > 1;
  let createdSecs = 0;
  for await (const event of events) {
    if (event.type === 'started') createdSecs = event.created;
    if (event.type === 'partial_image') yield toPartial(event, prefix, createdSecs, isOneOfMany);
    if (event.type === 'completed') yield* toCompleted(event.response, prefix, asked);
  }
}

/**
 * Of what will take effect only what the image itself shows is known on the way. The clients' types demand the rest of
 * every event, and have a value for what is unknown.
 */
function toPartial(
  { b64_json, index, partial_index, ...image }: Partial,
  prefix: Prefix,
  created_at: number,
  isOneOfMany: boolean,
): ImagesEventWithBytes {
  return {
    type: `${prefix}.partial_image`,
    partial_image_index: partial_index,
    b64_json,
    created_at,
    size: sizeOf(image),
    quality: 'auto',
    background: 'auto',
    output_format: image.format,
    ...(isOneOfMany ? { index } : {}),
  };
}

/** Usage is that of all of them, and so it goes with the last. */
function* toCompleted(
  response: ImageResponseWithBytes,
  prefix: Prefix,
  { request, ignored }: Asked,
): Generator<ImagesEventWithBytes> {
  const { data, created: created_at } = response;
  for (const image of data) {
    // A stream is always asked for bytes.
    if (image.type !== 'b64_json') continue;
    const { quality, background, size } = effectiveOf(response);
    yield {
      type: `${prefix}.completed`,
      b64_json: image.b64_json,
      created_at,
      size: size ?? sizeOf(image),
      quality: quality ?? 'auto',
      background: background ?? 'auto',
      output_format: image.format,
      ...(request.parameters.n > 1 ? { index: image.index } : {}),
      ...(image === data.at(-1) ? lastWords(response, ignored) : {}),
    };
  }
}

function lastWords({ usage }: ImageResponseWithBytes, ignored: readonly string[]) {
  return {
    ...usageOf(usage),
    ...(ignored.length > 0 ? { bridge_ext: { ignored_parameters: [...ignored] } } : {}),
  };
}
