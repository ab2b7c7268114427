import type {
  ArtifactInput,
  Base64Input,
  CanvasArea,
  DataUrlInput,
  FileInput,
  ImageInput,
  PlanInput,
  StoredInput,
  UrlInput,
} from '../contract/request/image-input.ts';
import type { Steps } from '../platform/time-slices.ts';
import { badInput, isSameType } from './bad-input.ts';
import {
  type ArtifactSource,
  type InputSet,
  type InputSource,
  mapInputs,
  type PlannedSource,
  type RemoteSource,
  type StoredSource,
} from './input-source.ts';

/** The fields of a request that contain images. */
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
 * Returns the images of a request as sources. Inline images are decoded now, in steps. All other images are loaded later, just
 * before the request is served. Throws `input` for the first invalid image.
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

/** Returns the images of the request of a job as sources. The images were verified and stored when the job was accepted. */
export function toStoredSources(request: RequestImages<StoredInput>): InputSet<StoredSource> {
  return mapInputs(withFields(request), ({ input: { sha256, bytes }, field }) => ({
    kind: 'stored',
    field,
    sha256,
    byteLength: bytes,
  }));
}

/**
 * Returns the images of a plan as sources. No image is decoded. Only the length of an inline image is computed. Throws `input`
 * for the first image with an invalid length or declared type.
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
      return { kind: 'inline', field, bytes, ...canvasOf(input), ...declaredInline(input, inline) };
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
      return {
        kind: 'described',
        field,
        byteLength,
        ...canvasOf(input),
        ...declaredInline(input, inline),
      };
    }
    case 'described': {
      const { format, width, height, bytes: byteLength } = input;
      if (byteLength > maxBytes) throw badInput(field, field, 'too_many_bytes');
      const upright = { width, height };
      return { kind: 'described', field, byteLength, format, upright, ...canvasOf(input) };
    }
    case 'artifact':
    case 'url':
      return toElsewhere(input, field);
  }
}

/** Returns the source of an image whose bytes are not in the request. */
function toElsewhere(
  input: ArtifactInput | UrlInput,
  field: string,
): ArtifactSource | RemoteSource {
  const more = { ...declared(input.media_type), ...canvasOf(input) };
  return input.type === 'artifact'
    ? { kind: 'artifact', field, artifactId: input.artifact_id, ...more }
    : // Errors of a remote image name the field of its URL.
      { kind: 'remote', field: `${field}.url`, url: input.url, ...more };
}

function canvasOf({ canvas }: { readonly canvas?: CanvasArea | undefined }) {
  return canvas === undefined ? {} : { canvas };
}

function toInlineText(input: DataUrlInput | Base64Input, field: string): InlineText {
  return input.type === 'data_url'
    ? readDataUrl(input.data_url, field)
    : { text: input.data, where: `${field}.data`, field };
}

/** Returns the media type that a data URL or `media_type` declares. Throws `input` if both declare a type and the types differ. */
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

const DATA_URL = /^data:image\/(png|jpeg|jpg|webp);base64,/i;
/**
 * The number of base64 characters decoded in one step. A step takes less than a millisecond. The number must be a multiple of
 * four, because four characters form a group.
 */
const STEP_CHARACTERS = 1024 * 1024;

/** Base64 text of a request. */
interface InlineText {
  readonly text: string;
  /** Field that contains the text. */
  readonly where: string;
  /** Field of the image that the text belongs to. */
  readonly field: string;
  readonly mediaType?: string;
}

/**
 * Returns the base64 text of a data URL and the media type that it declares. Throws `input` if the URL has another form or
 * parameters.
 */
function readDataUrl(url: string, field: string): InlineText & { mediaType: string } {
  const where = `${field}.data_url`;
  const head = DATA_URL.exec(url.slice(0, 40));
  if (!head) throw badInput(where, field, 'not_a_data_url');
  const mediaType = `image/${head[1]}`.toLowerCase();
  return { text: url.slice(head[0].length), where, field, mediaType };
}

/**
 * Returns the number of bytes in a base64 text, from its length and padding alone. Throws `input` if the bytes exceed `maxBytes`
 * or the length of the text is 0 or not a multiple of four.
 */
function base64Bytes({ text, where, field }: InlineText, maxBytes: number): number {
  // Four characters encode three bytes, so a text that is too long is rejected before it is decoded.
  if ((text.length / 4) * 3 - 2 > maxBytes) throw badInput(where, field, 'too_many_bytes');
  if (text.length === 0 || text.length % 4 !== 0) throw badInput(where, field, 'not_base64');
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}

/** Decodes a base64 text. Throws `input` unless it strictly follows RFC 4648, section 4: padded and without whitespace. */
function* decodeBase64(inline: InlineText, maxBytes: number): Steps<Buffer> {
  const { text, where, field } = inline;
  const bytes = Buffer.allocUnsafe(base64Bytes(inline, maxBytes));
  let length = 0;
  for (let from = 0; from < text.length; from += STEP_CHARACTERS) {
    const part = text.slice(from, from + STEP_CHARACTERS);
    if (part.includes('-') || part.includes('_')) throw badInput(where, field, 'not_base64');
    length += bytes.write(part, length, 'base64');
    yield;
  }
  if (!isCanonical(text, bytes, length)) throw badInput(where, field, 'not_base64');
  return bytes;
}

/**
 * Returns true if `text` is the canonical encoding of `bytes`. `length` is the number of bytes that Node decoded. Node's
 * decoder skips whitespace and other invalid characters, so that bytes are missing, and ignores unused bits at the end. Only
 * the last group is encoded again, because encoding the whole text would take four times as long.
 */
function isCanonical(text: string, bytes: Buffer, length: number): boolean {
  const lastGroup = bytes.subarray((text.length / 4 - 1) * 3);
  return length === bytes.length && lastGroup.toString('base64') === text.slice(-4);
}
