import * as v from 'valibot';
import { closedObject, nullable } from '../schema/closed-object.ts';
import { documented } from '../schema/documented.ts';
import { coded } from '../schema/issues.ts';
import { upTo } from '../schema/request-limits.ts';
import { ShortText } from '../schema/text.ts';

export const OUTPUT_FORMATS = ['png', 'jpeg', 'webp'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export const RESOLUTIONS = ['1k', '2k', '4k'] as const;

/** The longest edge that a request may name, in pixels. */
export const MAX_REQUEST_EDGE = 16_384;

/** The longest edge that an image of each format can have, in pixels (PNG 3, 11.2.1; ITU-T T.81, B.2.2; RFC 9649, 2.7). */
export const MAX_FORMAT_EDGE: Readonly<Record<OutputFormat, number>> = {
  png: 2 ** 31 - 1,
  jpeg: 65_535,
  webp: 16_383,
};

/** `1024x1536` as numbers; undefined for `auto` and for anything else. */
export function parseSize(size: string): { width: number; height: number } | undefined {
  const match = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/.exec(size);
  if (!match) return undefined;
  const width = Number(match[1]);
  const height = Number(match[2]);
  return width <= MAX_REQUEST_EDGE && height <= MAX_REQUEST_EDGE ? { width, height } : undefined;
}

/** `16:9` as numbers; undefined for anything else. */
export function parseAspectRatio(ratio: string): { width: number; height: number } | undefined {
  const match = /^([1-9]\d{0,4}):([1-9]\d{0,4})$/.exec(ratio);
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

/** The fields of `parameters`, one row each; the OpenAI-familiar routes take theirs from here. */
export const parameterEntries = {
  n: documented(v.optional(upTo('maxOutputs'), 1), 'How many images to make.'),
  size: documented(v.optional(Size, 'auto'), 'Width and height in pixels, such as 1536x1024.'),
  aspect_ratio: documented(nullable(AspectRatio), 'A shape such as 16:9, in place of a size.'),
  resolution: documented(
    nullable(v.picklist(RESOLUTIONS)),
    'An order of magnitude, in place of a size.',
  ),
  quality: documented(
    v.optional(v.picklist(['auto', 'low', 'medium', 'high', 'xhigh', 'max']), 'auto'),
    'xhigh and max only where a capability document lists them.',
  ),
  // No default here: the verdict of `delivered` depends on whether it was named.
  output_format: documented(v.optional(v.picklist(OUTPUT_FORMATS)), 'Left out, it is png.'),
  output_compression: documented(
    nullable(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(100))),
    'The quality of the encoding, for jpeg and webp only.',
  ),
  background: documented(
    v.optional(v.picklist(['auto', 'opaque', 'transparent']), 'auto'),
    'Transparency is cut out by the bridge where a provider lacks it.',
  ),
  moderation: v.optional(v.picklist(['auto', 'low']), 'auto'),
  partial_images: documented(
    v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(3)), 0),
    'How many unfinished images to show on the way.',
  ),
  failure_policy: documented(
    v.optional(v.picklist(['fail_fast', 'best_effort']), 'fail_fast'),
    'best_effort returns the images that succeeded and lists the failures.',
  ),
  action: documented(
    v.optional(v.picklist(['auto', 'generate', 'edit']), 'auto'),
    'What the model is asked to do; auto follows the operation.',
  ),
  input_fidelity: documented(
    nullable(v.picklist(['low', 'high'])),
    'How closely to follow the given images.',
  ),
};

export const RequestParameters = closedObject(parameterEntries);

/** Complete parameters, as a reply reports what was requested and what took effect. */
export const Parameters = v.strictObject({
  ...RequestParameters.entries,
  output_format: v.picklist(OUTPUT_FORMATS),
});
export type Parameters = v.InferOutput<typeof Parameters>;
