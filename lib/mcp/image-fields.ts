import * as v from 'valibot';
import type { ImageInput } from '../contract/request/image-input.ts';
import { parameterEntries } from '../contract/request/parameters.ts';
import { ArtifactId, documented, PromptText } from '../contract/schema/fields.ts';
import { Payload, text } from '../contract/schema/text.ts';
import { ApiFailure } from './bridge-api.ts';
import type { ToolContext } from './tool.ts';

const { n, size, quality, output_format, background } = parameterEntries;

/** The fields that describe the wanted images: a few fields of an image request under plain names. */
export const imageFields = {
  prompt: documented(PromptText, 'What to show, for example "a lighthouse at dusk, watercolour".'),
  negative_prompt: documented(v.optional(PromptText), 'What to avoid, for example "text, people".'),
  n,
  size: documented(size, 'Width and height in pixels, for example "1536x1024", or "auto".'),
  quality,
  format: documented(output_format, 'The format of the file. The default is png.'),
  background,
  model: documented(
    v.optional(text({ maxLength: 128 })),
    'A model from list_models, for example "gpt-image-2". The default is the default model.',
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

const Fields = v.strictObject(imageFields);
const Inputs = v.strictObject({
  images: v.optional(inputFields.images),
  mask: inputFields.mask,
  reference_images: inputFields.reference_images,
});

/** The arguments of a tool that generates or edits images. */
export type ImageArguments = v.InferOutput<typeof Fields> & v.InferOutput<typeof Inputs>;

/** Resolves with the body of an image request for these arguments. The bridge validates the whole body. */
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
    // A request that a model can only serve with changes is served, and the result lists the changes.
    policies: { compatibility: 'normalize' },
  };
}

// The longest text that is treated as a path. It is longer than any path.
const MAX_PATH_CHARS = 4096;

type Reader = Pick<ToolContext, 'readFile'>;

// Twice the default limit of a service. The service enforces its own limit.
const MAX_FILES_BYTES = 128 * 1024 * 1024;

/**
 * Resolves with the inputs of a request for the images in each of `fields`. Files are read one after another. Throws
 * `ApiFailure` if a file cannot be read or the files together are too long.
 */
export async function readInputs(
  fields: readonly (readonly string[])[],
  { readFile }: Reader,
): Promise<ImageInput[][]> {
  let bytes = 0;
  async function readNext(path: string): Promise<Buffer> {
    if (!readFile) throw notAnImage();
    const file = await readFile(path);
    bytes += file.length;
    if (bytes <= MAX_FILES_BYTES) return file;
    const message = `the files together exceed ${MAX_FILES_BYTES} bytes`;
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
  return new ApiFailure('invalid_request', 'image is neither an id nor a data: URL', [
    'Send a data: URL. Paths work only if the client runs on the machine of the bridge.',
  ]);
}

async function toInput(
  image: string,
  read: (path: string) => Promise<Buffer>,
): Promise<ImageInput> {
  // Only the first characters of a long text are read, because nothing except a data URL may be long.
  if (/^data:/i.test(image.slice(0, 5))) return { type: 'data_url', data_url: image };
  if (image.length > MAX_PATH_CHARS) throw notAnImage();
  if (v.is(ArtifactId, image)) return { type: 'artifact', artifact_id: image };
  return { type: 'base64', data: (await read(image)).toString('base64') };
}
