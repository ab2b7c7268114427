import { parseSize } from '../../contract/request/parameters.ts';
import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import type { StreamedBody } from '../../net/http-client.ts';
import type { Ids } from '../../platform/ids.ts';
import { equalRatio } from '../backend/edges.ts';
import { EXTENSIONS, sentImages, toEditPrompt } from '../backend/sent-images.ts';
import { unsupported } from '../failed-calls.ts';
import type { Base64Marker, JsonBodies } from '../http/json-body.ts';
import { type FormPart, toMultipartBody } from '../http/multipart-body.ts';
import type { CallOutline, ProviderInput, ProviderRequest } from '../provider-port.ts';
import type {
  CallField,
  Dialect,
  EncodableImage,
  ImagesSettings,
  Route,
} from './dialects/dialect.ts';

interface Deps {
  readonly dialect: Dialect;
  readonly settings: Pick<ImagesSettings, 'stream' | 'upstreams'>;
  readonly ids: Pick<Ids, 'newFraction' | 'newOpaqueId'>;
  readonly toJsonBody: JsonBodies;
  /** Returns the server's name of a model. */
  readonly modelName: (model: string) => string;
  readonly documentOf: (model: string) => CapabilityDocument | undefined;
}

/** One call, ready to be sent. */
export interface CallBody {
  readonly route: Route;
  readonly contentType: string;
  readonly body: StreamedBody;
  /** True if the call does not name the format of its images. */
  readonly isFormatFree: boolean;
}

const SEEDS = 2 ** 31;

/** Creates a writer of calls in one dialect. Images are encoded while they are sent. */
export function createCallBodies({
  dialect,
  settings,
  ids,
  toJsonBody,
  modelName,
  documentOf,
}: Deps) {
  const { edits } = dialect;
  const settingsMembers = dialect.settingsMembers?.(settings) ?? {};

  return function toCallBody(request: ProviderRequest): CallBody {
    const seed = Math.floor(ids.newFraction() * SEEDS);
    const model = modelName(request.model);
    const own = callFields(request, {
      dialect,
      stream: settings.stream,
      seed,
      document: documentOf(request.model),
    });
    const isFormatFree = !own.some(([name]) => name === 'output_format');
    const fields = [
      ['model', model] as const,
      ['prompt', toPrompt(request, dialect, seed)] as const,
      ...own,
    ];
    const images = sentImages(request);
    if (images.length > 0 && typeof edits === 'string') {
      const { mask } = request;
      const parts = [
        ...fields.map(([name, value]) => ({ name, text: String(value) })),
        ...images.map((input, at) => toFilePart('image[]', `image-${at + 1}`, input)),
        ...(mask && dialect.mask ? [toFilePart(dialect.mask.name, 'mask', mask)] : []),
      ];
      const form = toMultipartBody(parts, `form-${ids.newOpaqueId()}`);
      return { route: 'edits', ...form, isFormatFree };
    }
    const hasImages = images.length > 0 && typeof edits === 'object';
    const body = toJsonBody((base64Of) => {
      const encodable = images.map((input) => toEncodable(input, base64Of));
      const [sources, others] = [
        encodable.slice(0, request.images.length),
        encodable.slice(request.images.length),
      ];
      return {
        ...Object.fromEntries(fields),
        ...(hasImages ? edits.members({ model, sources, others }) : {}),
        ...settingsMembers,
      };
    });
    const route = hasImages ? edits.route : 'generations';
    return { route, contentType: 'application/json', body, isFormatFree };
  };
}

function toEncodable({ bytes, mediaType }: ProviderInput, base64Of: Base64Marker): EncodableImage {
  return {
    base64: () => base64Of(bytes),
    dataUrl: () => `data:${mediaType};base64,${base64Of(bytes)}`,
  };
}

/** Returns the part of a form for an image. `stem` is its filename without the extension. */
export function toFilePart(
  name: string,
  stem: string,
  { bytes, mediaType }: ProviderInput,
): FormPart {
  return { name, filename: `${stem}.${EXTENSIONS[mediaType]}`, mediaType, bytes };
}

type Value = string | number | boolean;

interface Options {
  readonly dialect: Dialect;
  readonly stream: ImagesSettings['stream'];
  readonly seed: number;
  readonly document: CapabilityDocument | undefined;
}

/**
 * Returns the fields that the dialect supports, in a fixed order. Fields that the request leaves to the model are
 * omitted.
 */
function callFields(
  request: ProviderRequest,
  { dialect, stream, seed, document }: Options,
): readonly (readonly [CallField, Value])[] {
  const { parameters, indices, images, references, negativePrompt } = request;
  const hasPartials = parameters.partial_images > 0;
  const hasInputs = images.length + references.length > 0;
  const edges = parseSize(parameters.size);
  const hasFormat = !dialect.hasFieldsOfModel || (document?.output_formats.length ?? 0) > 1;
  const { resolutionName = (name) => name } = dialect;
  const values: Readonly<Record<CallField, Value | null | undefined>> = {
    n: indices.length > 1 ? indices.length : undefined,
    size: chosen(parameters.size),
    width: edges?.width,
    height: edges?.height,
    aspect_ratio:
      parameters.aspect_ratio &&
      (equalRatio(parameters.aspect_ratio, document?.aspect_ratios) ?? parameters.aspect_ratio),
    resolution: parameters.resolution && resolutionName(parameters.resolution),
    quality: chosen(parameters.quality),
    output_format: hasFormat ? parameters.output_format : undefined,
    output_compression: hasFormat ? parameters.output_compression : undefined,
    background: chosen(parameters.background),
    moderation: chosen(parameters.moderation),
    input_fidelity: hasInputs ? parameters.input_fidelity : undefined,
    complexity: parameters.complexity,
    partial_images: hasPartials ? parameters.partial_images : undefined,
    stream: stream === 'always' || (stream === 'auto' && hasPartials) ? true : undefined,
    seed,
    negative_prompt: negativePrompt,
    // Without this field some servers return a URL or a path.
    response_format: dialect.base64Format ?? 'b64_json',
  };
  return dialect.fields.flatMap((field) => {
    const value = values[field];
    return value === undefined || value === null ? [] : [[field, value] as const];
  });
}

/** Returns undefined for a value that the model chooses. */
export function chosen(value: string): string | undefined {
  return value === 'auto' ? undefined : value;
}

/** Returns the prompt as the dialect sends it. The request must have passed `refuseText`. */
function toPrompt(request: ProviderRequest, { prompt: rules }: Dialect, seed: number): string {
  const { negativePrompt } = request;
  const text = toEditPrompt(request);
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
