import * as v from 'valibot';
import type { ImageInput } from '../contract/request/image-input.ts';
import { ArtifactId } from '../contract/schema/fields.ts';
import { ApiFailure } from './bridge-api.ts';
import type { ToolContext } from './tool.ts';

/** An image of a tool's arguments as a request has it. Throws `ApiFailure`. */
export async function readInput(
  image: string,
  { readFile }: Pick<ToolContext, 'readFile'>,
): Promise<ImageInput> {
  if (/^data:/i.test(image)) return { type: 'data_url', data_url: image };
  if (v.is(ArtifactId, image)) return { type: 'artifact', artifact_id: image };
  if (!readFile) {
    throw new ApiFailure('invalid_request', 'an image is neither an id nor a data: URL', [
      'Files can be named only where the client runs on the machine of the bridge: send a data: URL.',
    ]);
  }
  return { type: 'base64', data: (await readFile(image)).toString('base64') };
}
