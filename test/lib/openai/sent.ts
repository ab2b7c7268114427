import * as v from 'valibot';
import { EditsFormFields } from '../../../lib/contract/openai/form.ts';
import { EditsBody, GenerationsBody } from '../../../lib/contract/openai/images.ts';
import type { ImageResponseWithBytes } from '../../../lib/contract/reply/image-response.ts';
import type { ImageInput } from '../../../lib/contract/request/image-input.ts';
import { Parameters } from '../../../lib/contract/request/parameters.ts';
import type { RequestLimits } from '../../../lib/contract/schema/request-limits.ts';
import type { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { createModels } from '../../../lib/openai/models.ts';
import {
  type EditForm,
  imagesOf,
  imagesOfForm,
  imagesOfJson,
  type SentRequest,
  toImageRequest,
} from '../../../lib/openai/to-image-request.ts';
import { ByteParts } from '../../../lib/platform/byte-parts.ts';
import { systemClock } from '../../../lib/platform/clock.ts';

export const LIMITS: RequestLimits = {
  maxOutputs: 8,
  maxInputs: 5,
  maxTimeoutMs: 60_000,
  remoteInputs: false,
  providers: undefined,
};

/** The models of two providers. Both list `shared`, which resolves to the first. */
export const models = createModels({
  providers: () => [
    { name: 'near', models: ['shared', 'small'] },
    { name: 'far', models: ['shared', 'large'] },
  ],
  providerOf: (model) => ({ shared: 'near', small: 'near', large: 'far' })[model],
  aliases: { 'dall-e-3': 'far/shared', 'dall-e-2': 'small', ghost: 'nowhere' },
  clock: systemClock,
});

export function generationBody(sent: object = {}): GenerationsBody {
  return v.parse(GenerationsBody, { prompt: 'a fox', ...sent });
}

/** An edit of one image, unless `sent` has others. */
export function editBody(sent: object = {}): EditsBody {
  const images = [{ image_url: 'data:image/png;base64,AAAA' }];
  return v.parse(EditsBody, { prompt: 'night', images, ...sent });
}

/** A form of one file, unless `files` has others. */
export function formBody(sent: object = {}, files: Files = {}): EditForm {
  return {
    fields: v.parse(EditsFormFields, { prompt: 'night', ...sent }),
    files: { image: [Buffer.from('file')], mask: [], reference_image: [], ...files },
  };
}

export function generationOf(sent: object = {}): SentRequest {
  const body = generationBody(sent);
  return { operation: 'generate', body, images: imagesOf(body.fields.bridge_ext) };
}

export function editOf(sent: object = {}): SentRequest {
  const body = editBody(sent);
  return { operation: 'edit', body, images: imagesOfJson<ImageInput>(body.fields) };
}

interface Files {
  readonly image?: readonly Buffer[];
  readonly mask?: readonly Buffer[];
  readonly reference_image?: readonly Buffer[];
}

export function formOf(sent: object = {}, files: Files = {}): SentRequest {
  const { fields: body, files: all } = formBody(sent, files);
  return { operation: 'edit', body, images: imagesOfForm({ fields: body, files: all }) };
}

export function translated(sent: SentRequest) {
  return toImageRequest(sent, { models, limits: LIMITS });
}

/** `field: code` of each issue; empty for a valid request. */
export function issuesOf(sent: SentRequest): readonly string[] {
  try {
    translated(sent);
    return [];
  } catch (error) {
    // A request fails only with this error.
    const { issues } = (error as BridgeError).details as unknown as { issues: Issue[] };
    return issues.map(({ field, code }) => `${field}: ${code}`);
  }
}

interface Issue {
  readonly field: string;
  readonly code: string;
}

/** Returns the reply to a generation. By default it has one small image and automatic values. */
export function responseOf(changes: Partial<ImageResponseWithBytes> = {}): ImageResponseWithBytes {
  const parameters = v.parse(Parameters, {
    n: 1,
    size: 'auto',
    aspect_ratio: null,
    resolution: null,
    quality: 'auto',
    output_format: 'png',
    output_compression: null,
    background: 'auto',
    moderation: 'auto',
    partial_images: 0,
    failure_policy: 'fail_fast',
    action: 'auto',
    input_fidelity: null,
  });
  return {
    id: 'r1',
    created: 7,
    provider: 'near',
    model: 'small',
    requested: parameters,
    effective: parameters,
    normalizations: [],
    data: [imageOf(0)],
    timings: { queue_ms: 0, input_ms: 0, provider_ms: 0, artifact_ms: 0, total_ms: 0 },
    delivered: [],
    warnings: [],
    ...changes,
  };
}

/** Returns a finished image of a reply, with unique bytes. */
export function imageOf(
  index: number,
  changes: object = {},
): Extract<ImageResponseWithBytes['data'][number], { type: 'b64_json' }> {
  return {
    type: 'b64_json',
    b64_json: new ByteParts([Buffer.from([index])]),
    index,
    format: 'png',
    width: 64,
    height: 32,
    bytes: 1,
    sha256: 'a'.repeat(64),
    ...changes,
  };
}
