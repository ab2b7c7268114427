import * as v from 'valibot';
import { closedObject, closedVariant, eitherOf } from '../schema/closed-object.ts';
import { documented, isStorableText, Sha256 } from '../schema/fields.ts';
import { coded } from '../schema/issues.ts';
import { limitsOf } from '../schema/request-limits.ts';
import { Payload, ShortText, text, utf8Bytes } from '../schema/text.ts';
import { OUTPUT_FORMATS } from './parameters.ts';

/** A safe path component. The name is only displayed, and is never used in the file system. */
const DisplayFilename = v.pipe(
  ShortText,
  v.check(
    (name) =>
      name !== '' &&
      name !== '.' &&
      name !== '..' &&
      utf8Bytes(name) <= 255 &&
      isStorableText(name) &&
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the check must find control characters.
      !/[/\\\u0000-\u001f\u007f]/.test(name),
    coded('unsafe_filename', 'must be a single path component of at most 255 bytes'),
  ),
);

/** The maximum position and edge of a canvas, in pixels. */
export const MAX_CANVAS = 65_535;

const place = v.pipe(v.number(), v.integer(), v.minValue(-MAX_CANVAS), v.maxValue(MAX_CANVAS));
export const CanvasEdge = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_CANVAS));

/**
 * A rectangle of an image after rotation according to its EXIF orientation. The rectangle may extend beyond the edges of the image.
 */
export const CanvasArea = closedObject({
  x: documented(place, 'The left edge in the pixels of the image. Negative beyond its left edge.'),
  y: documented(place, 'The upper edge in the pixels of the image. Negative above its upper edge.'),
  width: documented(CanvasEdge, 'The width in pixels.'),
  height: documented(CanvasEdge, 'The height in pixels.'),
});
export type CanvasArea = v.InferOutput<typeof CanvasArea>;

const canvas = documented(
  v.optional(CanvasArea),
  'Only in `images[0]`: the rectangle to which the bridge crops or extends the image before the edit. A part beyond the image repeats its edge pixels and, without a `mask`, becomes the mask, so that only this part is drawn.',
);

const common = {
  canvas,
  filename: documented(v.optional(DisplayFilename), 'A name for display only.', {
    minLength: 1,
    maxLength: 255,
  }),
  media_type: documented(
    v.optional(text({ maxLength: 128 })),
    'The declared media type. The image is rejected if its bytes have a different type.',
  ),
};

// Payloads are checked when they are decoded, because matching megabytes against a pattern would delay other requests.
const DataUrlInput = closedObject({
  type: v.literal('data_url'),
  data_url: documented(
    Payload,
    'A data URL such as `data:image/png;base64,…`; jpeg and webp are accepted too.',
  ),
  ...common,
});
const Base64Input = closedObject({
  type: v.literal('base64'),
  data: documented(
    Payload,
    'The image in base64 (RFC 4648, section 4), padded and without white space.',
  ),
  ...common,
});
export const ArtifactInput = closedObject({
  type: v.literal('artifact'),
  artifact_id: documented(
    text({ maxLength: 128 }),
    'The id of an image that this bridge made for the same token.',
  ),
  ...common,
});
export const UrlInput = v.pipe(
  closedObject({
    type: v.literal('url'),
    url: documented(
      text({ maxLength: 8192 }),
      'An https URL. Requires the setting `inputs.remote.enabled`.',
    ),
    ...common,
  }),
  v.rawCheck(({ config, addIssue }) => {
    if (limitsOf(config)?.remoteInputs === false) {
      addIssue({ message: coded('remote_inputs_disabled', 'remote inputs are disabled') });
    }
  }),
);

/** An input image of a request. */
export const ImageInput = closedVariant('type', [
  DataUrlInput,
  Base64Input,
  ArtifactInput,
  UrlInput,
]);
export type ImageInput = v.InferOutput<typeof ImageInput>;

export type DataUrlInput = v.InferOutput<typeof DataUrlInput>;
export type Base64Input = v.InferOutput<typeof Base64Input>;
export type ArtifactInput = v.InferOutput<typeof ArtifactInput>;
export type UrlInput = v.InferOutput<typeof UrlInput>;

/** An image that was sent as a file in a form and has not been checked. */
export interface FileInput {
  readonly type: 'file';
  readonly bytes: Buffer;
  readonly filename?: never;
  readonly canvas?: never;
}

const edgePx = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(2 ** 31 - 1));

/** An input image of a job: the checksum and metadata instead of the bytes, which are stored when the job is accepted. */
export const StoredInput = closedObject({
  type: v.literal('stored'),
  sha256: Sha256,
  media_type: v.picklist(['image/png', 'image/jpeg', 'image/webp']),
  bytes: v.pipe(v.number(), v.integer(), v.minValue(1)),
  width: documented(
    v.optional(edgePx),
    'The width in pixels, after rotation according to the EXIF orientation. Absent in jobs of versions that did not store it.',
  ),
  height: documented(
    v.optional(edgePx),
    'The height in pixels, after rotation according to the EXIF orientation. Absent in jobs of versions that did not store it.',
  ),
  filename: v.optional(ShortText),
});
export type StoredInput = v.InferOutput<typeof StoredInput>;

/** The description of an image, which a plan can use instead of the image. */
export const DescribedInput = closedObject({
  type: v.literal('described'),
  format: v.picklist(OUTPUT_FORMATS),
  width: documented(
    edgePx,
    'The width in pixels, after rotation according to the EXIF orientation.',
  ),
  height: documented(
    edgePx,
    'The height in pixels, after rotation according to the EXIF orientation.',
  ),
  bytes: documented(
    v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(Number.MAX_SAFE_INTEGER)),
    'The size of the encoded image, in bytes.',
  ),
  canvas,
});

/** An image in a plan request: sent or only described. */
export const PlanInput = eitherOf(ImageInput, DescribedInput, ({ type }) => type === 'described');
export type PlanInput = v.InferOutput<typeof PlanInput>;

/** An image in the plan of many requests. The request does not contain the bytes of the image, because each plan would read them again. */
export const KnownInput = closedVariant('type', [ArtifactInput, DescribedInput]);
