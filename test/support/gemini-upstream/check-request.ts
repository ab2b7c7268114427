import type { IncomingHttpHeaders } from 'node:http';
import * as v from 'valibot';
import { GenerateRequest, inlineImagesOf } from './generate-request.ts';
import { refused, refusedKey } from './google-refusal.ts';
import { findModel, type GeminiModel } from './models.ts';

const MAX_IMAGES = 14;
const MAX_BODY_BYTES = 100_000_000;

/** A request that a strict backend accepts. */
export interface CheckedRequest {
  readonly model: GeminiModel;
  readonly request: GenerateRequest;
  /** Bytes of the images in the request. */
  readonly images: readonly Buffer[];
}

/** Checks the credentials, the model and the body of a call. Throws `Refusal` if one of them is invalid. */
export function checkRequest(
  path: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
  checkCredentials: (headers: IncomingHttpHeaders) => void,
): CheckedRequest {
  checkCredentials(headers);
  checkType(headers);
  const name = /\/models\/([^/:]+):generateContent$/.exec(path)?.[1] ?? '';
  const model = findModel(decodeURIComponent(name));
  if (!model) throw refused('NOT_FOUND', 'the model is not found for this version');
  if (body.length > MAX_BODY_BYTES) throw refused('INVALID_ARGUMENT', 'the request is too large');
  const request = parse(body);
  checkImageConfig(request, model);
  return { model, request, images: checkImages(request) };
}

/** Checks the key of a call of the Gemini API. */
export function checkKey(headers: IncomingHttpHeaders, keys: ReadonlySet<string>): void {
  const key = headers['x-goog-api-key'];
  if (key === undefined) throw refused('PERMISSION_DENIED', 'unregistered callers are not allowed');
  if (typeof key !== 'string' || !keys.has(key)) throw refusedKey();
  if (headers.authorization !== undefined) {
    throw refused('INVALID_ARGUMENT', 'a call has a key or a token, not both');
  }
}

/** Checks the access token of a call of Vertex AI. */
export function checkToken(
  headers: IncomingHttpHeaders,
  isValid: (token: string) => boolean,
): void {
  if (headers['x-goog-api-key'] !== undefined) {
    throw refused('INVALID_ARGUMENT', 'a call has a key or a token, not both');
  }
  const token = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1];
  if (token === undefined || !isValid(token)) {
    throw refused('UNAUTHENTICATED', 'the call has invalid authentication credentials');
  }
}

function checkType(headers: IncomingHttpHeaders): void {
  if (!/^application\/json\s*(;\s*charset=utf-8)?$/i.test(headers['content-type'] ?? '')) {
    throw refused('INVALID_ARGUMENT', 'the content type must be JSON');
  }
}

function parse(body: Buffer): GenerateRequest {
  const parsed = v.safeParse(GenerateRequest, parseJson(body), { abortEarly: true });
  if (parsed.success) return parsed.output;
  throw refused('INVALID_ARGUMENT', 'the body is wrong', v.getDotPath(parsed.issues[0]) ?? '');
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw refused('INVALID_ARGUMENT', 'the body is not JSON', '');
  }
}

function checkImageConfig({ generationConfig }: GenerateRequest, model: GeminiModel): void {
  const { aspectRatio, imageSize } = generationConfig.imageConfig ?? {};
  const field = 'generation_config.image_config';
  if (aspectRatio !== undefined && !model.aspectRatios.includes(aspectRatio)) {
    throw refused('INVALID_ARGUMENT', 'no such ratio', `${field}.aspect_ratio`);
  }
  if (imageSize !== undefined && !model.imageSizes.includes(imageSize)) {
    throw refused('INVALID_ARGUMENT', 'no such size', `${field}.image_size`);
  }
}

function checkImages(request: GenerateRequest): readonly Buffer[] {
  const inline = inlineImagesOf(request);
  if (inline.length > MAX_IMAGES) throw refused('INVALID_ARGUMENT', 'too many images', 'contents');
  return inline.map(({ mimeType, data }) => {
    const bytes = Buffer.from(data, 'base64');
    // The decoder of Node accepts almost any text. The text was valid base64 only if its bytes encode to the same text.
    const isBase64 = bytes.length > 0 && bytes.toString('base64') === data;
    if (!isBase64 || signatureOf(bytes) !== mimeType) {
      throw refused('INVALID_ARGUMENT', 'an image cannot be read', 'contents[0].parts');
    }
    return bytes;
  });
}

function signatureOf(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, 12);
  if (start.startsWith('\x89PNG\r\n\x1A\n')) return 'image/png';
  if (start.startsWith('\xFF\xD8\xFF')) return 'image/jpeg';
  return start.startsWith('RIFF') && start.endsWith('WEBP') ? 'image/webp' : undefined;
}
