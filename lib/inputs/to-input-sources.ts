import type {
  ArtifactInput,
  Base64Input,
  DataUrlInput,
  FileInput,
  ImageInput,
  PlanInput,
  StoredInput,
  UrlInput,
} from '../contract/request/image-input.ts';
import type { Steps } from '../platform/time-slices.ts';
import { badInput } from './bad-input.ts';
import { base64Bytes, decodeBase64, type InlineText, readDataUrl } from './decode-inline.ts';
import {
  type ArtifactSource,
  type InputSet,
  type InputSource,
  mapInputs,
  type PlannedSource,
  type RemoteSource,
  type StoredSource,
} from './input-source.ts';
import { isSameType } from './media-type.ts';

/** The members of a request that hold images. */
export interface RequestImages<T> {
  readonly images: readonly T[];
  readonly mask?: T | null | undefined;
  readonly reference_images: readonly T[];
}

/** An image of a request and the name of its field. */
interface NamedImage<T> {
  readonly input: T;
  readonly field: string;
}

/**
 * The images of a request as sources. Inline images are decoded now, one step at a time; all others are loaded when the
 * request is about to be served. Throws `input` for the first invalid one.
 */
export function* toInputSources(
  request: RequestImages<ImageInput | FileInput>,
  maxBytesEach: number,
): Steps<InputSet<InputSource>> {
  const named = withFields(request);
  const images: InputSource[] = [];
  for (const image of named.images) images.push(yield* toInputSource(image, maxBytesEach));
  const mask = named.mask ? yield* toInputSource(named.mask, maxBytesEach) : undefined;
  const references: InputSource[] = [];
  for (const image of named.references) references.push(yield* toInputSource(image, maxBytesEach));
  return mask ? { images, mask, references } : { images, references };
}

/** The images of a job's request, which were verified and stored when it was accepted. */
export function toStoredSources(request: RequestImages<StoredInput>): InputSet<StoredSource> {
  return mapInputs(withFields(request), ({ input: { sha256, bytes }, field }) => ({
    kind: 'stored',
    field,
    sha256,
    byteLength: bytes,
  }));
}

/**
 * The images of a request that is only planned. Nothing is decoded: of an inline image only its length counts. Throws
 * `input` for the first one that is invalid by its length or its declared type.
 */
export function toPlannedSources(
  request: RequestImages<PlanInput>,
  maxBytesEach: number,
): InputSet<PlannedSource> {
  return mapInputs(withFields(request), (image) => toPlannedSource(image, maxBytesEach));
}

function withFields<T>({ images, mask, reference_images }: RequestImages<T>) {
  const named: InputSet<NamedImage<T>> = {
    images: images.map((input, index) => ({ input, field: `images[${index}]` })),
    ...(mask ? { mask: { input: mask, field: 'mask' } } : {}),
    references: reference_images.map((input, index) => ({
      input,
      field: `reference_images[${index}]`,
    })),
  };
  return named;
}

function* toInputSource(
  { input, field }: NamedImage<ImageInput | FileInput>,
  maxBytes: number,
): Steps<InputSource> {
  switch (input.type) {
    case 'data_url':
    case 'base64': {
      const inline = toInlineText(input, field);
      const bytes = yield* decodeBase64(inline, maxBytes);
      return { kind: 'inline', field, bytes, ...declaredInline(input, inline) };
    }
    case 'file':
      if (input.bytes.length > maxBytes) throw badInput(field, field, 'too_many_bytes');
      return { kind: 'inline', field, bytes: input.bytes };
    case 'artifact':
    case 'url':
      return toElsewhere(input, field);
  }
}

function toPlannedSource({ input, field }: NamedImage<PlanInput>, maxBytes: number): PlannedSource {
  switch (input.type) {
    case 'data_url':
    case 'base64': {
      const inline = toInlineText(input, field);
      const byteLength = base64Bytes(inline, maxBytes);
      return { kind: 'described', field, byteLength, ...declaredInline(input, inline) };
    }
    case 'described': {
      const { format, width, height, bytes: byteLength } = input;
      if (byteLength > maxBytes) throw badInput(field, field, 'too_many_bytes');
      return { kind: 'described', field, byteLength, format, upright: { width, height } };
    }
    case 'artifact':
    case 'url':
      return toElsewhere(input, field);
  }
}

/** An image that does not come with the request. */
function toElsewhere(
  input: ArtifactInput | UrlInput,
  field: string,
): ArtifactSource | RemoteSource {
  return input.type === 'artifact'
    ? { kind: 'artifact', field, artifactId: input.artifact_id, ...declared(input.media_type) }
    : // Faults of a remote image are reported at its address (contract.md 1).
      { kind: 'remote', field: `${field}.url`, url: input.url, ...declared(input.media_type) };
}

function toInlineText(input: DataUrlInput | Base64Input, field: string): InlineText {
  return input.type === 'data_url'
    ? readDataUrl(input.data_url, field)
    : { text: input.data, where: `${field}.data`, field };
}

/** The type that a data URL or the field beside it declares. Throws `input` where they differ. */
function declaredInline(
  { media_type: named }: DataUrlInput | Base64Input,
  { field, mediaType }: InlineText,
) {
  if (named !== undefined && mediaType !== undefined && !isSameType(named, mediaType)) {
    throw badInput(`${field}.media_type`, field, 'media_type_mismatch');
  }
  return declared(mediaType ?? named);
}

function declared(mediaType: string | undefined) {
  return mediaType === undefined ? {} : { declaredMediaType: mediaType.toLowerCase() };
}
