import * as v from 'valibot';
import type { ImageInput } from '../contract/request/image-input.ts';
import { parameterEntries } from '../contract/request/parameters.ts';
import { ArtifactId, documented, PromptText } from '../contract/schema/fields.ts';
import { Payload, text } from '../contract/schema/text.ts';
import { ApiFailure } from './bridge-api.ts';
import type { ToolContext } from './tool.ts';

const { n, size, quality, output_format, background } = parameterEntries;

/** The fields of an image request that tools accept, some under other names. */
export const imageFields = {
  prompt: documented(
    PromptText,
    'The content of the image, for example "a lighthouse at dusk, watercolour".',
  ),
  negative_prompt: documented(
    v.optional(PromptText),
    'Content to avoid, for example "text, people".',
  ),
  n,
  size: documented(size, 'Width and height in pixels, for example "1536x1024", or "auto".'),
  quality,
  format: documented(output_format, 'The format of the file. The default is png.'),
  background,
  model: documented(
    v.optional(text({ maxLength: 128 })),
    'A model from list_models, for example "gpt-image-2". If omitted, the default model is used.',
  ),
  provider: documented(
    v.optional(text({ maxLength: 64 })),
    'The name of a provider from list_models.',
  ),
};

const Image = documented(
  Payload,
  'The id of an image that the bridge generated, a data: URL, or, if the client runs on the same machine, the path of a file below the working directory.',
);

/** The fields for input images. */
export const inputFields = {
  images: documented(
    v.pipe(v.array(Image), v.minLength(1), v.maxLength(16)),
    'The images to edit, for example ["sketch.png"].',
  ),
  mask: documented(
    v.optional(Image),
    'A mask of the same size as the first image. That image may change only where the mask is transparent.',
  ),
  reference_images: documented(
    v.optional(v.pipe(v.array(Image), v.maxLength(16)), []),
    'Images to follow in style or content. They are not edited.',
  ),
};

/** The arguments of a tool that generates or edits images. */
export const ImageArguments = v.strictObject({
  ...imageFields,
  ...inputFields,
  images: v.optional(inputFields.images),
});

/** Resolves with the body of an image request, which the bridge validates. */
export async function toRequestBody(
  { images = [], mask, reference_images, ...fields }: v.InferOutput<typeof ImageArguments>,
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
    // The bridge may change values that the model does not support. The result lists the changes.
    policies: { compatibility: 'normalize' },
  };
}

// A longer text is not treated as a path.
const MAX_PATH_CHARS = 4096;

// Twice the default limit of the bridge, which enforces its own limit.
const MAX_FILES_BYTES = 128 * 1024 * 1024;

/**
 * Resolves with the inputs for the images in each of `fields`. Throws `ApiFailure` if a file cannot be read or the total size of
 * the files is too large.
 */
export async function readInputs(
  fields: readonly (readonly string[])[],
  { readFile }: Pick<ToolContext, 'readFile'>,
): Promise<ImageInput[][]> {
  let bytes = 0;
  async function readNext(path: string): Promise<Buffer> {
    if (!readFile) throw notAnImage();
    const file = await readFile(path);
    bytes += file.length;
    if (bytes <= MAX_FILES_BYTES) return file;
    const message = `the total size of the files exceeds ${MAX_FILES_BYTES} bytes`;
    throw new ApiFailure('invalid_request', message, ['Send fewer or smaller images.']);
  }
  const inputs: ImageInput[][] = [];
  for (const images of fields) {
    const field: ImageInput[] = [];
    for (const image of images) field.push(await toInput(image, readNext));
    inputs.push(field);
  }
  return inputs;
}

function notAnImage(): ApiFailure {
  return new ApiFailure('invalid_request', 'the image is neither an id nor a data: URL', [
    'Send a data: URL. Paths work only if the client runs on the machine of the bridge.',
  ]);
}

async function toInput(
  image: string,
  read: (path: string) => Promise<Buffer>,
): Promise<ImageInput> {
  // Only the first characters are compared, because a data URL may have megabytes.
  if (/^data:/i.test(image.slice(0, 5))) return { type: 'data_url', data_url: image };
  if (image.length > MAX_PATH_CHARS) throw notAnImage();
  if (v.is(ArtifactId, image)) return { type: 'artifact', artifact_id: image };
  return { type: 'base64', data: (await read(image)).toString('base64') };
}
