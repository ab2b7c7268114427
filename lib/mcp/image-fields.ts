import * as v from 'valibot';
import { parameterEntries } from '../contract/request/parameters.ts';
import { documented } from '../contract/schema/documented.ts';
import { PromptText } from '../contract/schema/fields.ts';
import { Payload, text } from '../contract/schema/text.ts';
import { readInputs } from './input-image.ts';
import type { ToolContext } from './tool.ts';

const { n, size, quality, output_format, background } = parameterEntries;

/** What images are asked for by: a few of the request's fields, under plain names. */
export const imageFields = {
  prompt: documented(PromptText, 'What to show, for example "a lighthouse at dusk, watercolour".'),
  negative_prompt: documented(v.optional(PromptText), 'What to avoid, for example "text, people".'),
  n,
  size: documented(size, 'Width and height in pixels, for example "1536x1024", or "auto".'),
  quality,
  format: documented(output_format, 'The format of the file. Left out, it is png.'),
  background,
  model: documented(
    v.optional(text({ maxLength: 128 })),
    'A model of list_models, for example "gpt-image-2". Left out, the default one.',
  ),
  provider: documented(
    v.optional(text({ maxLength: 64 })),
    'A provider of list_models, by its name.',
  ),
};

const Image = documented(
  Payload,
  'The id of an image that the bridge has made, a data: URL, or, where the client runs on the same machine, the path of a file below the working directory.',
);

/** The images that a request brings along. */
export const inputFields = {
  images: documented(
    v.pipe(v.array(Image), v.minLength(1), v.maxLength(16)),
    'What to edit, for example ["sketch.png"].',
  ),
  mask: documented(
    v.optional(Image),
    'An image of the same size as the first one: only where it is transparent may that change.',
  ),
  reference_images: documented(
    v.optional(v.pipe(v.array(Image), v.maxLength(16)), []),
    'Images to follow in style or content; they are not edited.',
  ),
};

const Fields = v.strictObject(imageFields);
const Inputs = v.strictObject({
  images: v.optional(inputFields.images),
  mask: inputFields.mask,
  reference_images: inputFields.reference_images,
});

/** The fields of a tool, with what they bring along. */
export type ImageArguments = v.InferOutput<typeof Fields> & v.InferOutput<typeof Inputs>;

/** The body of a request (ImageRequest) for these fields. The bridge checks all of it. */
export async function toRequestBody(
  { images = [], mask, reference_images, ...fields }: ImageArguments,
  context: Pick<ToolContext, 'readFile'>,
): Promise<object> {
  const { prompt, negative_prompt, format, model, provider, ...parameters } = fields;
  const masks = mask === undefined ? [] : [mask];
  const [sources = [], [maskInput] = [], references = []] = await readInputs(
    [images, masks, reference_images],
    context,
  );
  return {
    prompt,
    operation: images.length > 0 ? 'edit' : 'generate',
    ...(negative_prompt === undefined ? {} : { negative_prompt }),
    ...(sources.length > 0 ? { images: sources } : {}),
    ...(maskInput === undefined ? {} : { mask: maskInput }),
    ...(references.length > 0 ? { reference_images: references } : {}),
    parameters: { ...parameters, ...(format === undefined ? {} : { output_format: format }) },
    routing: {
      ...(model === undefined ? {} : { model }),
      ...(provider === undefined ? {} : { provider }),
    },
    // What a model makes a little differently is said in the result, instead of being refused.
    policies: { compatibility: 'normalize' },
  };
}
