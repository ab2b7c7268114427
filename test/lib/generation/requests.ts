import * as v from 'valibot';
import { ImageRequest } from '../../../lib/contract/request/image-request.ts';
import {
  type GenerationRequest,
  toGenerationRequest,
} from '../../../lib/generation/generation-request.ts';
import { toInputSources } from '../../../lib/inputs/to-input-sources.ts';
import { finish } from '../../support/finish.ts';

/** Returns a request as the pipeline receives it: with a prompt, and defaults for all other fields. */
export function requestOf(sent: object = {}): GenerationRequest {
  const request = wireRequestOf(sent);
  return toGenerationRequest(request, finish(toInputSources(request, 32 * 1024 * 1024)));
}

export function wireRequestOf(sent: object = {}): ImageRequest {
  return v.parse(ImageRequest, { prompt: 'a boat', ...sent });
}

/** Returns an inline input of `length` bytes, which may not be an image. */
export function inlineBytes(length = 3): object {
  return { type: 'base64', data: Buffer.alloc(length, 'image').toString('base64') };
}

export function inlineImage(bytes: Buffer): object {
  return { type: 'base64', data: bytes.toString('base64') };
}
