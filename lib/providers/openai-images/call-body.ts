import type { StreamedBody } from '../../net/http-client.ts';
import type { Ids } from '../../platform/ids.ts';
import { EXTENSIONS, sentImages, toPromptText } from '../backend/sent-images.ts';
import { unsupported } from '../failed-calls.ts';
import type { JsonBodies } from '../http/json-body.ts';
import { type FormPart, toMultipartBody } from '../http/multipart-body.ts';
import type { CallOutline, ProviderInput, ProviderRequest } from '../provider-port.ts';
import type { CallField, Dialect, ImagesSettings } from './dialects.ts';

interface Deps {
  readonly dialect: Dialect;
  readonly settings: Pick<ImagesSettings, 'stream'>;
  readonly ids: Pick<Ids, 'newFraction' | 'newOpaqueId'>;
  readonly toJsonBody: JsonBodies;
  /** Returns the server's name of a model. */
  readonly modelName: (model: string) => string;
}

/** One call, ready to be sent. */
export interface CallBody {
  readonly route: 'generations' | 'edits';
  readonly contentType: string;
  readonly body: StreamedBody;
}

const SEEDS = 2 ** 31;

/** Creates a writer of calls in one dialect. Images are encoded while they are sent. */
export function createCallBodies({ dialect, settings, ids, toJsonBody, modelName }: Deps) {
  return function toCallBody(request: ProviderRequest): CallBody {
    const seed = Math.floor(ids.newFraction() * SEEDS);
    const fields = [
      ['model', modelName(request.model)] as const,
      ['prompt', toPrompt(request, dialect, seed)] as const,
      ...callFields(request, { dialect, stream: settings.stream, seed }),
    ];
    const images = sentImages(request);
    if (images.length > 0 && dialect.edits !== 'json') {
      const { mask } = request;
      const parts = [
        ...fields.map(([name, value]) => ({ name, text: String(value) })),
        ...images.map((input, at) => toFilePart('image[]', `image-${at + 1}`, input)),
        ...(mask && dialect.mask ? [toFilePart(dialect.mask.name, 'mask', mask)] : []),
      ];
      return { route: 'edits', ...toMultipartBody(parts, `form-${ids.newOpaqueId()}`) };
    }
    const body = toJsonBody((base64Of) => ({
      ...Object.fromEntries(fields),
      ...jsonImages(request, ({ bytes }) => base64Of(bytes)),
    }));
    return { route: 'generations', contentType: 'application/json', body };
  };
}

/**
 * Returns the first source in `files`, over which the server draws, and all other images in `ref_images` as references
 * (LocalAI's `image.go`).
 */
function jsonImages(
  request: ProviderRequest,
  toBase64: (input: ProviderInput) => string,
): { readonly files?: readonly string[]; readonly ref_images?: readonly string[] } {
  const sources = request.images.slice(0, 1);
  const others = sentImages(request).slice(sources.length);
  return {
    ...(sources.length > 0 ? { files: sources.map(toBase64) } : {}),
    ...(others.length > 0 ? { ref_images: others.map(toBase64) } : {}),
  };
}

function toFilePart(name: string, stem: string, { bytes, mediaType }: ProviderInput): FormPart {
  return { name, filename: `${stem}.${EXTENSIONS[mediaType]}`, mediaType, bytes };
}

type Value = string | number | boolean;

interface Options {
  readonly dialect: Dialect;
  readonly stream: ImagesSettings['stream'];
  readonly seed: number;
}

/**
 * Returns the fields that the dialect supports, in a fixed order. Fields that the request leaves to the model are
 * omitted.
 */
function callFields(
  request: ProviderRequest,
  { dialect, stream, seed }: Options,
): readonly (readonly [CallField, Value])[] {
  const { parameters, indices, images, references, negativePrompt } = request;
  const hasPartials = parameters.partial_images > 0;
  const hasInputs = images.length + references.length > 0;
  const values: Readonly<Record<CallField, Value | null | undefined>> = {
    n: indices.length > 1 ? indices.length : undefined,
    size: chosen(parameters.size),
    quality: chosen(parameters.quality),
    output_format: parameters.output_format,
    output_compression: parameters.output_compression,
    background: chosen(parameters.background),
    moderation: chosen(parameters.moderation),
    input_fidelity: hasInputs ? parameters.input_fidelity : undefined,
    partial_images: hasPartials ? parameters.partial_images : undefined,
    stream: stream === 'always' || (stream === 'auto' && hasPartials) ? true : undefined,
    seed,
    negative_prompt: negativePrompt,
    // Without this field some servers return a URL or a path.
    response_format: 'b64_json',
  };
  return dialect.fields.flatMap((field) => {
    const value = values[field];
    return value === undefined || value === null ? [] : [[field, value] as const];
  });
}

function chosen(value: string): string | undefined {
  return value === 'auto' ? undefined : value;
}

/** Returns the prompt as the dialect sends it. The request must have passed `refuseText`. */
function toPrompt(request: ProviderRequest, { prompt: rules }: Dialect, seed: number): string {
  const { references, maskImage, negativePrompt } = request;
  const isMixed = references.length > 0 || maskImage !== undefined;
  // In an edit, images that are all sources need no explanation.
  const text = toPromptText(isMixed ? request : { ...request, images: [] });
  return rules ? rules.write(text, { seed, negativePrompt }) : text;
}

/**
 * Throws `unsupported_capability` for a prompt with characters that the server interprets, and for a negative prompt
 * that is too long for its parser.
 */
export function refuseText(
  { prompt, negativePrompt = '' }: Pick<CallOutline, 'prompt' | 'negativePrompt'>,
  { prompt: rules }: Dialect,
): void {
  if (!rules) return;
  const { reserved, maxNegativeCharacters: max } = rules;
  for (const [field, text] of Object.entries({ prompt, negative_prompt: negativePrompt })) {
    if (!text.includes(reserved)) continue;
    throw unsupported(field, `the backend does not support "${reserved}" in \`${field}\``);
  }
  if ([...negativePrompt].length <= max) return;
  const message = `the negative prompt is longer than ${max} characters`;
  throw unsupported('negative_prompt', message, { max_characters: max });
}
