import * as v from 'valibot';
import type { ImageInput } from '../contract/request/image-input.ts';
import { ArtifactId } from '../contract/schema/fields.ts';
import { ApiFailure } from './bridge-api.ts';
import type { ToolContext } from './tool.ts';

// Longer than any path.
const MAX_PATH_CHARS = 4096;

type Reader = Pick<ToolContext, 'readFile'>;

// Twice what a service takes by default; it names its own limit.
const MAX_FILES_BYTES = 128 * 1024 * 1024;

/**
 * The images of the fields of one request, as it has them. Their files are read one after another. Throws `ApiFailure`,
 * also when they are too long together.
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
    const message = `the files together are longer than ${MAX_FILES_BYTES} bytes`;
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
  return new ApiFailure('invalid_request', 'an image is neither an id nor a data: URL', [
    'Files can be named only where the client runs on the machine of the bridge: send a data: URL.',
  ]);
}

async function toInput(
  image: string,
  read: (path: string) => Promise<Buffer>,
): Promise<ImageInput> {
  // Only a data URL may be long: nothing else of a long text is looked at.
  if (/^data:/i.test(image.slice(0, 5))) return { type: 'data_url', data_url: image };
  if (image.length > MAX_PATH_CHARS) throw notAnImage();
  if (v.is(ArtifactId, image)) return { type: 'artifact', artifact_id: image };
  return { type: 'base64', data: (await read(image)).toString('base64') };
}
