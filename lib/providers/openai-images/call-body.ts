import type { StreamedBody } from '../../net/http-client.ts';
import type { Ids } from '../../platform/ids.ts';
import { sentImages } from '../backend/sent-images.ts';
import type { JsonBodies } from '../http/json-body.ts';
import { type FormPart, toMultipartBody } from '../http/multipart-body.ts';
import type { ProviderInput, ProviderRequest } from '../provider-port.ts';
import { callFields } from './call-fields.ts';
import type { Dialect, ImagesSettings } from './dialects.ts';
import { toPrompt } from './prompt.ts';

interface Deps {
  readonly dialect: Dialect;
  readonly settings: Pick<ImagesSettings, 'stream'>;
  readonly ids: Pick<Ids, 'newFraction' | 'newOpaqueId'>;
  readonly toJsonBody: JsonBodies;
  /** The model under the name that the server has for it. */
  readonly modelName: (model: string) => string;
}

/** One call, ready to be sent. */
export interface CallBody {
  readonly route: 'generations' | 'edits';
  readonly contentType: string;
  readonly body: StreamedBody;
}

const EXTENSIONS = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const;
const SEEDS = 2 ** 31;

/** Writes calls in the form of one dialect. Images are encoded, or read, while they are sent. */
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
      const texts = fields.map(([name, value]) => ({ name, text: String(value) }));
      const parts = [...texts, ...images.map(toImagePart), ...maskParts(request, dialect)];
      return { route: 'edits', ...toMultipartBody(parts, `form-${ids.newOpaqueId()}`) };
    }
    const body = toJsonBody((base64Of) => ({
      ...Object.fromEntries(fields),
      ...jsonImages(request, ({ bytes }) => base64Of(bytes)),
    }));
    return { route: 'generations', contentType: 'application/json', body };
  };
}

/** One source is drawn over, in `files`; all other images are references (LocalAI's `image.go`). */
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

function toImagePart(input: ProviderInput, index: number): FormPart {
  return toFilePart('image[]', `image-${index + 1}`, input);
}

function maskParts({ mask }: ProviderRequest, dialect: Dialect): readonly FormPart[] {
  return mask && dialect.mask ? [toFilePart(dialect.mask.name, 'mask', mask)] : [];
}

function toFilePart(name: string, stem: string, { bytes, mediaType }: ProviderInput): FormPart {
  return { name, filename: `${stem}.${EXTENSIONS[mediaType]}`, mediaType, bytes };
}
