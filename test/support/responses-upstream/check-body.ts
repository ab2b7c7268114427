import * as v from 'valibot';
import { Refusal } from '../upstream/refusal.ts';
import type { ImageModel } from './models.ts';
import { type ImageTool, imageUrlsOf, ResponsesRequest, toolOf } from './responses-request.ts';

interface Known {
  readonly responsesModels: readonly string[];
  readonly imageModels: ReadonlyMap<string, ImageModel>;
}

const MAX_IMAGES = 5;
const MAX_IMAGE_BYTES = 32 * 1024 * 1024;
const MAX_ALL_BYTES = 64 * 1024 * 1024;

/** Parses a body as a strict backend does. Throws `Refusal` if it is invalid. */
export function checkBody(bytes: Buffer, known: Known): ResponsesRequest {
  const parsed = v.safeParse(ResponsesRequest, parseJson(bytes), { abortEarly: true });
  if (!parsed.success) throw shapeRefusal(parsed.issues[0]);
  const request = parsed.output;
  if (!known.responsesModels.includes(request.model)) {
    throw refused('model_not_found', 'no such model', 'model');
  }
  const tool = toolOf(request);
  const urls = imageUrlsOf(request);
  checkTool(tool, known.imageModels.get(tool.model));
  if (tool.action === 'edit' && urls.length === 0) {
    throw refused('invalid_value', 'an edit needs an image', 'tools[0].action');
  }
  checkImages(urls);
  return request;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw refused('invalid_json', 'the body is not JSON');
  }
}

function shapeRefusal(issue: v.BaseIssue<unknown>): Refusal {
  const path = issue.path?.map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${key}`));
  const param = path?.join('').replace(/^\./, '') ?? '';
  if (issue.expected === 'never') return refused('unknown_parameter', 'unknown parameter', param);
  const isMissing = issue.path?.at(-1)?.origin === 'key' || issue.received === 'undefined';
  return isMissing
    ? refused('missing_required_parameter', 'missing required parameter', param)
    : refused('invalid_value', `invalid value, expected ${issue.expected}`, param);
}

function checkTool(tool: ImageTool, model: ImageModel | undefined): void {
  if (!model) throw refused('model_not_found', 'no such model', 'tools[0].model');
  const { size, background, input_fidelity: fidelity, output_format: format } = tool;
  if (size !== undefined && !model.sizes.includes(size)) {
    throw refused('invalid_value', 'this model has no such size', 'tools[0].size');
  }
  if (background === 'transparent' && !model.hasTransparency) {
    throw refused('unsupported_value', 'this model is opaque', 'tools[0].background');
  }
  if (background === 'transparent' && format === 'jpeg') {
    throw refused('invalid_value', 'JPEG has no alpha', 'tools[0].background');
  }
  if (fidelity !== undefined && !model.hasInputFidelity) {
    throw refused('unsupported_parameter', 'this model has none', 'tools[0].input_fidelity');
  }
  if (tool.output_compression !== undefined && format === 'png') {
    throw refused('invalid_value', 'PNG has none', 'tools[0].output_compression');
  }
}

function checkImages(urls: readonly string[]): void {
  if (urls.length > MAX_IMAGES) throw imageRefusal('too_many_images', MAX_IMAGES);
  let total = 0;
  urls.forEach((url, index) => {
    const bytes = decodeDataUrl(url, index);
    total += bytes;
    if (bytes > MAX_IMAGE_BYTES) throw imageRefusal('image_file_too_large', index);
  });
  if (total > MAX_ALL_BYTES) throw imageRefusal('image_file_too_large', urls.length - 1);
}

/** Returns the number of bytes of the image. */
function decodeDataUrl(url: string, index: number): number {
  const [head = '', data = ''] = url.split(',', 2);
  const type = /^data:image\/(png|jpeg|webp);base64$/.exec(head)?.[1];
  if (!type) throw imageRefusal('invalid_image_url', index);
  const bytes = Buffer.from(data, 'base64');
  // The decoder of Node accepts almost any text. The text was valid base64 only if its bytes encode to the same text.
  if (bytes.toString('base64') !== data) throw imageRefusal('invalid_base64_image', index);
  if (bytes.length === 0) throw imageRefusal('empty_image_file', index);
  if (signatureOf(bytes) !== type) throw imageRefusal('invalid_image_format', index);
  return bytes.length;
}

function signatureOf(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, 12);
  if (start.startsWith('\x89PNG\r\n\x1A\n')) return 'png';
  if (start.startsWith('\xFF\xD8\xFF')) return 'jpeg';
  return start.startsWith('RIFF') && start.endsWith('WEBP') ? 'webp' : undefined;
}

/** The text is before the images, so the first image is the second part. */
function imageRefusal(code: string, index: number): Refusal {
  return refused(code, 'unusable image', `input[0].content[${index + 1}].image_url`);
}

function refused(code: string, message: string, param?: string): Refusal {
  return new Refusal({ status: 400, code, message, param });
}
