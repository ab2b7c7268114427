import * as v from 'valibot';
import { closedObject, nullable } from '../schema/closed-object.ts';
import { documented } from '../schema/fields.ts';
import { coded } from '../schema/issues.ts';
import { upTo } from '../schema/request-limits.ts';
import { ShortText } from '../schema/text.ts';

export const OUTPUT_FORMATS = ['png', 'jpeg', 'webp'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** The values of `complexity`: the computation that a model spends on planning an image. */
export const COMPLEXITIES = ['low', 'medium', 'high'] as const;

export const RESOLUTIONS = ['1k', '2k', '4k'] as const;

/** The values without `auto`, which leaves the choice to the model. */
export const CHOSEN_QUALITIES = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
export const CHOSEN_BACKGROUNDS = ['opaque', 'transparent'] as const;

export const QUALITIES = ['auto', ...CHOSEN_QUALITIES] as const;
export const BACKGROUNDS = ['auto', ...CHOSEN_BACKGROUNDS] as const;
export const MODERATIONS = ['auto', 'low'] as const;
export const ACTIONS = ['auto', 'generate', 'edit'] as const;
export const INPUT_FIDELITIES = ['low', 'high'] as const;

/** The maximum width and height of a requested size, in pixels. */
const MAX_REQUEST_EDGE = 16_384;

/** The maximum width and height by format, in pixels (PNG 3, section 11.2.1; ITU-T T.81, B.2.2; RFC 9649, section 2.7). */
export const MAX_FORMAT_EDGE: Readonly<Record<OutputFormat, number>> = {
  png: 2 ** 31 - 1,
  jpeg: 65_535,
  webp: 16_383,
};

const SIZE = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/;
const RATIO = /^([1-9]\d{0,4}):([1-9]\d{0,4})$/;

/** Parses a size such as `1024x1536`. Returns undefined for `auto` and for any other text. */
export function parseSize(text: string): { width: number; height: number } | undefined {
  const size = parsePair(SIZE, text);
  return size && Math.max(size.width, size.height) <= MAX_REQUEST_EDGE ? size : undefined;
}

/** Parses an aspect ratio such as `16:9`. Returns undefined for any other text. */
export function parseAspectRatio(text: string): { width: number; height: number } | undefined {
  return parsePair(RATIO, text);
}

function parsePair(pattern: RegExp, text: string): { width: number; height: number } | undefined {
  const match = pattern.exec(text);
  return match ? { width: Number(match[1]), height: Number(match[2]) } : undefined;
}

export const Size = v.pipe(
  ShortText,
  v.check(
    (size) => size === 'auto' || parseSize(size) !== undefined,
    coded('invalid_value', `must be auto or WxH with edges from 1 to ${MAX_REQUEST_EDGE}`),
  ),
  v.metadata({ pattern: '^(auto|[1-9][0-9]{0,4}x[1-9][0-9]{0,4})$' }),
);

export const AspectRatio = v.pipe(
  ShortText,
  v.check((ratio) => parseAspectRatio(ratio) !== undefined, coded('invalid_value', 'must be W:H')),
  v.metadata({ pattern: '^[1-9][0-9]{0,4}:[1-9][0-9]{0,4}$' }),
);

/** The fields of `parameters`. The OpenAI-compatible routes use the same rows. */
export const parameterEntries = {
  n: documented(v.optional(upTo('maxOutputs'), 1), 'The number of images.'),
  size: documented(
    v.optional(Size, 'auto'),
    'The width and height in pixels, such as 1536x1024, or auto.',
  ),
  aspect_ratio: documented(
    nullable(AspectRatio),
    'An aspect ratio such as 16:9, instead of a size.',
  ),
  resolution: documented(
    nullable(v.picklist(RESOLUTIONS)),
    'An approximate resolution, instead of a size.',
  ),
  quality: documented(
    v.optional(v.picklist(QUALITIES), 'auto'),
    'The quality. xhigh and max are only available if the capability document lists them.',
  ),
  // There is no default because the verdict in `delivered` depends on whether the request names the format.
  output_format: documented(v.optional(v.picklist(OUTPUT_FORMATS)), 'png if omitted.'),
  output_compression: documented(
    nullable(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(100))),
    'The encoding quality; only for jpeg and webp.',
  ),
  background: documented(
    v.optional(v.picklist(BACKGROUNDS), 'auto'),
    'The background. If the provider does not support transparency, the bridge removes the background.',
  ),
  moderation: v.optional(v.picklist(MODERATIONS), 'auto'),
  partial_images: documented(
    v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(3)), 0),
    'The number of partial images to send before the final image.',
  ),
  failure_policy: documented(
    v.optional(v.picklist(['fail_fast', 'best_effort']), 'fail_fast'),
    'best_effort returns the images that succeeded and lists the failures.',
  ),
  action: documented(
    v.optional(v.picklist(ACTIONS), 'auto'),
    'The action that the model is instructed to perform; auto follows the operation.',
  ),
  input_fidelity: documented(
    nullable(v.picklist(INPUT_FIDELITIES)),
    'The fidelity to the input images.',
  ),
  complexity: documented(
    v.optional(v.picklist(COMPLEXITIES)),
    'The computation that the model spends on planning the image. A value that the capability document does not list is rejected with the compatibility `strict`, and ignored with any other.',
  ),
};

export const RequestParameters = closedObject(parameterEntries);

/** The complete parameters in a reply: requested or effective values. */
export const Parameters = v.strictObject({
  ...RequestParameters.entries,
  output_format: v.picklist(OUTPUT_FORMATS),
});
export type Parameters = v.InferOutput<typeof Parameters>;
