import type { EditsBody, GenerationsBody } from '../contract/openai/images.ts';
import type { ImagesEventWithBytes, ImagesResponseWithBytes } from '../contract/openai/response.ts';
import type { ImageInput } from '../contract/request/image-input.ts';
import type { RequestContext } from '../contract/request/request-context.ts';
import type { RequestLimits } from '../contract/schema/request-limits.ts';
import type { ImageRequests, ServedImages } from '../image-requests/image-requests.ts';
import { type CallersName, toCallersError } from './field-names.ts';
import type { Models } from './models.ts';
import {
  type EditForm,
  imagesOf,
  imagesOfForm,
  imagesOfJson,
  type SentRequest,
  toImageRequest,
} from './to-image-request.ts';
import { toImagesEvents, toImagesResponse } from './to-response.ts';

interface Deps {
  readonly imageRequests: ImageRequests;
  readonly models: Pick<Models, 'resolve'>;
  readonly limits: RequestLimits;
}

/** The reply with all images, a stream of events if the caller requested a stream, or a job if the caller prefers a job. */
export type ImagesReply =
  | ((
      | { readonly value: ImagesResponseWithBytes }
      | { readonly events: AsyncIterable<ImagesEventWithBytes> }
    ) & { readonly replayed: boolean })
  | Extract<ServedImages, { readonly accepted: unknown }>;

export type OpenAiImages = ReturnType<typeof createOpenAiImages>;

/**
 * Serves the OpenAI-compatible image routes through the native service. A call for a stream resolves when the work is queued or
 * running. Throws the errors of the native service, with OpenAI's field names.
 */
export function createOpenAiImages({ imageRequests, ...deps }: Deps) {
  async function createImages(sent: SentRequest, context: RequestContext): Promise<ImagesReply> {
    const translation = toImageRequest(sent, deps);
    const { request, nameOf } = translation;
    if (!sent.body.fields.stream) {
      const served = await withCallersNames(nameOf, imageRequests.serve(request, context));
      if (served.accepted) return served;
      const { value, replayed } = served;
      return { value: toImagesResponse(value, translation), replayed };
    }
    const streamed = imageRequests.stream(request, context);
    const { value, replayed } = await withCallersNames(nameOf, streamed);
    return { events: withCallersEvents(nameOf, toImagesEvents(value, translation)), replayed };
  }

  return {
    generate(body: GenerationsBody, context: RequestContext): Promise<ImagesReply> {
      const images = imagesOf(body.fields.bridge_ext);
      return createImages({ operation: 'generate', body, images }, context);
    },

    edit(sent: EditsBody | EditForm, context: RequestContext): Promise<ImagesReply> {
      const { body, images } =
        'files' in sent
          ? { body: sent.fields, images: imagesOfForm(sent) }
          : { body: sent, images: imagesOfJson<ImageInput>(sent.fields) };
      return createImages({ operation: 'edit', body, images }, context);
    },
  };
}

async function withCallersNames<T>(nameOf: CallersName, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    throw toCallersError(thrown, nameOf);
  }
}

async function* withCallersEvents<T>(
  nameOf: CallersName,
  events: AsyncIterable<T>,
): AsyncGenerator<T> {
  try {
    yield* events;
  } catch (thrown) {
    throw toCallersError(thrown, nameOf);
  }
}
