import * as v from 'valibot';
import { closedObject, closedVariant, eitherOf } from '../schema/closed-object.ts';
import { documented } from '../schema/documented.ts';
import { isStorableText, Sha256 } from '../schema/fields.ts';
import { coded } from '../schema/issues.ts';
import { limitsOf } from '../schema/request-limits.ts';
import { Payload, ShortText, text, utf8Bytes } from '../schema/text.ts';
import { OUTPUT_FORMATS } from './parameters.ts';

/** One safe path component, shown to people only: no caller's name ever reaches the file system. */
const DisplayFilename = v.pipe(
  ShortText,
  v.check(
    (name) =>
      name !== '' &&
      name !== '.' &&
      name !== '..' &&
      utf8Bytes(name) <= 255 &&
      isStorableText(name) &&
      // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the point.
      !/[/\\\u0000-\u001f\u007f]/.test(name),
    coded('unsafe_filename', 'must be one path component of at most 255 bytes'),
  ),
);

const common = {
  filename: documented(v.optional(DisplayFilename), 'Shown to people, used for nothing else.', {
    minLength: 1,
    maxLength: 255,
  }),
  media_type: documented(
    v.optional(text({ maxLength: 128 })),
    'Compared with the bytes: another content than declared is refused.',
  ),
};

// The payloads are checked when they are decoded (contract.md 1): a pattern over megabytes would stall everyone.
const DataUrlInput = closedObject({
  type: v.literal('data_url'),
  data_url: documented(Payload, 'data:image/png;base64, and the bytes; also jpeg and webp.'),
  ...common,
});
const Base64Input = closedObject({
  type: v.literal('base64'),
  data: documented(Payload, 'RFC 4648 section 4: padded, without white space.'),
  ...common,
});
export const ArtifactInput = closedObject({
  type: v.literal('artifact'),
  artifact_id: documented(
    text({ maxLength: 128 }),
    'An image that this bridge has made for the same token.',
  ),
  ...common,
});
export const UrlInput = v.pipe(
  closedObject({
    type: v.literal('url'),
    url: documented(
      text({ maxLength: 8192 }),
      'https only, and only while inputs.remote.enabled is on.',
    ),
    ...common,
  }),
  v.rawCheck(({ config, addIssue }) => {
    if (limitsOf(config)?.remoteInputs === false) {
      addIssue({ message: coded('remote_inputs_disabled', 'remote inputs are disabled') });
    }
  }),
);

/** An image that a request brings along. */
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

/** An image that came as a file of a form. Its bytes are not checked yet. */
export interface FileInput {
  readonly type: 'file';
  readonly bytes: Buffer;
  readonly filename?: never;
}

/** An inline image of a job, as the job shows it: its bytes never come back (contract.md 3). */
export const StoredInput = closedObject({
  type: v.literal('stored'),
  sha256: Sha256,
  media_type: v.picklist(['image/png', 'image/jpeg', 'image/webp']),
  bytes: v.pipe(v.number(), v.integer(), v.minValue(1)),
  filename: v.optional(ShortText),
});
export type StoredInput = v.InferOutput<typeof StoredInput>;

const edgePx = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(2 ** 31 - 1));

/** An image that a plan is asked for; it is not sent. */
export const DescribedInput = closedObject({
  type: v.literal('described'),
  format: v.picklist(OUTPUT_FORMATS),
  width: documented(edgePx, 'In pixels, as it is seen: rotated by its EXIF orientation.'),
  height: documented(edgePx, 'In pixels, as it is seen: rotated by its EXIF orientation.'),
  bytes: documented(
    v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(Number.MAX_SAFE_INTEGER)),
    'The length of the encoded image.',
  ),
});

/** An image of a request that is only planned. */
export const PlanInput = eitherOf(ImageInput, DescribedInput, ({ type }) => type === 'described');
export type PlanInput = v.InferOutput<typeof PlanInput>;
