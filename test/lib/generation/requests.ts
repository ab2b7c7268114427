import * as v from 'valibot';
import { ImageRequest } from '../../../lib/contract/request/image-request.ts';
import {
  type GenerationRequest,
  toGenerationRequest,
} from '../../../lib/generation/generation-request.ts';
import { toInputSources } from '../../../lib/inputs/to-input-sources.ts';
import { finish } from '../../support/finish.ts';

/** What a client sends, as the pipeline gets it: the prompt is there, everything else by default. */
export function requestOf(sent: object = {}): GenerationRequest {
  const request = wireRequestOf(sent);
  return toGenerationRequest(request, finish(toInputSources(request, 32 * 1024 * 1024)));
}

export function wireRequestOf(sent: object = {}): ImageRequest {
  return v.parse(ImageRequest, { prompt: 'a boat', ...sent });
}

/** An inline image of so many bytes, which need not be one. */
export function inlineBytes(length = 3): object {
  return { type: 'base64', data: Buffer.alloc(length, 'image').toString('base64') };
}

export function inlineImage(bytes: Buffer): object {
  return { type: 'base64', data: bytes.toString('base64') };
}
