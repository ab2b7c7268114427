import type { FileInput, ImageInput } from '../contract/request/image-input.ts';
import type {
  AnyImageRequest,
  ImageRequest,
  RequestOf,
} from '../contract/request/image-request.ts';
import type { Parameters } from '../contract/request/parameters.ts';
import type { InputSet, InputSource, PlannedSource } from '../inputs/input-source.ts';

/** A request from any wire format, with complete parameters and with its images as sources. */
export interface GenerationRequest<S = InputSource>
  extends Pick<
    ImageRequest,
    | 'operation'
    | 'prompt'
    | 'negative_prompt'
    | 'output'
    | 'routing'
    | 'session'
    | 'policies'
    | 'metadata'
  > {
  readonly parameters: Parameters;
  /**
   * True if the request named an output format. If false, the format is the default `png`, which every compatibility mode may
   * change.
   */
  readonly formatNamed: boolean;
  readonly inputs: InputSet<S>;
  readonly timeoutMs: number | undefined;
}

/** A request that can be planned. For an image, the facts may be known without the bytes. */
export type PlannedRequest = GenerationRequest<PlannedSource>;

/** Creates a generation request from a request in any wire format, or from the request of a job. */
export function toGenerationRequest<S>(
  request: Omit<RequestOf<unknown>, 'version' | 'idempotency_key' | 'user'>,
  inputs: InputSet<S>,
): GenerationRequest<S> {
  const { operation, prompt, negative_prompt, output, routing } = request;
  const { session, policies, metadata } = request;
  return {
    operation,
    prompt,
    negative_prompt,
    output,
    routing,
    session,
    policies,
    metadata,
    parameters: toParameters(request.parameters),
    formatNamed: request.parameters.output_format !== undefined,
    inputs,
    timeoutMs: request.timeout_ms ?? undefined,
  };
}

/** Adds the default output format if the request does not name a format. */
export function toParameters(sent: ImageRequest['parameters']): Parameters {
  return { ...sent, output_format: sent.output_format ?? 'png' };
}

/**
 * Returns the part of a request that decides if two requests are equal: everything except the idempotency key. Each image is
 * represented by its identity, its declared type and its file name. The form in which the image was sent does not matter.
 */
export function toFingerprintedRequest(
  request: AnyImageRequest,
  sources: InputSet<InputSource>,
  identities: InputSet<string>,
): object {
  const { idempotency_key: _, ...rest } = request;
  return {
    ...rest,
    images: request.images.map((input, index) =>
      toIdentified(input, sources.images[index], identities.images[index]),
    ),
    mask: request.mask && toIdentified(request.mask, sources.mask, identities.mask),
    reference_images: request.reference_images.map((input, index) =>
      toIdentified(input, sources.references[index], identities.references[index]),
    ),
  };
}

function toIdentified(
  { filename, canvas }: ImageInput | FileInput,
  source: InputSource | undefined,
  image: string | undefined,
): object {
  const mediaType = source?.declaredMediaType?.replace('/jpg', '/jpeg');
  // Without a canvas, the fingerprint must equal the fingerprint of versions that did not support a canvas.
  return { image, filename, media_type: mediaType, ...(canvas && { canvas }) };
}
