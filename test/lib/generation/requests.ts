import * as v from 'valibot';
import { ImageRequest } from '../../../lib/contract/request/image-request.ts';
import {
  type GenerationRequest,
  toGenerationRequest,
} from '../../../lib/generation/generation-request.ts';
import { toInputSources } from '../../../lib/inputs/to-input-sources.ts';
import { finish } from '../../support/finish.ts';

/** A request of a client as the pipeline gets it: with a prompt, and defaults for everything else. */
export function requestOf(sent: object = {}): GenerationRequest {
  const request = wireRequestOf(sent);
  return toGenerationRequest(request, finish(toInputSources(request, 32 * 1024 * 1024)));
}

export function wireRequestOf(sent: object = {}): ImageRequest {
  return v.parse(ImageRequest, { prompt: 'a boat', ...sent });
}

/** An inline input of this many bytes, which need not be an image. */
export function inlineBytes(length = 3): object {
  return { type: 'base64', data: Buffer.alloc(length, 'image').toString('base64') };
}

export function inlineImage(bytes: Buffer): object {
  return { type: 'base64', data: bytes.toString('base64') };
}
