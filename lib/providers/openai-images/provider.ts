import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import type { ImageEngine } from '../../images/image.ts';
import { uprightEdges } from '../../images/image.ts';
import { createBackendProvider } from '../backend/backend-provider.ts';
import { fittedEdges } from '../backend/edges.ts';
import { refuseTooManyInputs, toVerified } from '../backend/sent-images.ts';
import { createBilling } from '../billing/billing.ts';
import { readHeaders } from '../credentials/api-key.ts';
import type { NamedProviderParts } from '../provider-parts.ts';
import type {
  Provider,
  ProviderBilling,
  ProviderInput,
  ProviderRequest,
} from '../provider-port.ts';
import { refuseText } from './call-body.ts';
import { inputLimits } from './capabilities.ts';
import { createEndpoint, createImagesClient } from './client.ts';
import type { Dialect } from './dialects/dialect.ts';
import { DIALECTS } from './dialects/dialects.ts';
import { createImagesModels } from './images-models.ts';

/** Creates the provider for one account of OpenAI's image API, or for one compatible server. */
export function createOpenaiImagesProvider(parts: NamedProviderParts<'openai_images'>): Provider {
  const { name, settings, engine, apiKey } = parts;
  const dialect = DIALECTS[settings.dialect];
  const models = createImagesModels(parts);
  const documentOf = (model: string) => models.find(model)?.document;
  const client = createImagesClient({ ...parts, documentOf });

  function sizedRequest(request: ProviderRequest): ProviderRequest {
    const sizes = documentOf(request.model)?.sizes;
    return dialect.needsSizeOfSource && sizes ? withSourceSize(request, sizes) : request;
  }

  return createBackendProvider({
    name,
    displayName: dialect.displayName,
    settings,
    documents: models.documents,
    maskForm: () => dialect.mask?.form,
    refuse(call) {
      refuseTooManyInputs(call, inputLimits(dialect));
      refuseText(call, dialect);
    },
    async call(request, context) {
      const sized = sizedRequest(request);
      const readable = await toPngInputs(sized, dialect, engine, context.signal);
      return models.run(request.model, () => client.call(readable, context));
    },
    probe: apiKey.readiness,
    billing: openBilling(parts, dialect),
    ...models.published,
    close: models.close,
  });
}

function openBilling(
  { apiKey, settings, ...parts }: NamedProviderParts<'openai_images'>,
  dialect: Dialect,
): ProviderBilling | undefined {
  const { billing: source } = dialect;
  if (!source) return undefined;
  const address = settings.base_url.replace(/\/+$/, '');
  const { headers: keyHeaders } = createEndpoint(settings, dialect);
  return createBilling({
    ...parts,
    source,
    address,
    headers: () => readHeaders(apiKey, keyHeaders),
  });
}

type Engine = Pick<ImageEngine, 'convert' | 'decode' | 'encode'>;

/**
 * Converts all images of a call to the format that the dialect reads. Rejects with the signal's reason if the signal
 * aborts.
 */
async function toPngInputs(
  request: ProviderRequest,
  { reads }: Pick<Dialect, 'reads'>,
  engine: Engine,
  signal: AbortSignal,
): Promise<ProviderRequest> {
  if (reads === undefined) return request;
  const convert = reads === 'png' ? asPng : asRgbPng;
  const toReadable = (input: ProviderInput) => convert(input, engine, signal);
  const { maskImage } = request;
  return {
    ...request,
    images: await Promise.all(request.images.map(toReadable)),
    references: await Promise.all(request.references.map(toReadable)),
    ...(maskImage ? { maskImage: await toReadable(maskImage) } : {}),
  };
}

async function asPng(
  input: ProviderInput,
  engine: Engine,
  signal: AbortSignal,
): Promise<ProviderInput> {
  if (input.mediaType === 'image/png') return input;
  return toPng(input, await engine.convert(toVerified(input), { format: 'png' }, signal));
}

/** Converts an image to an 8-bit PNG with three channels. Transparent pixels are blended with white. */
async function asRgbPng(
  input: ProviderInput,
  engine: Engine,
  signal: AbortSignal,
): Promise<ProviderInput> {
  if (isRgbPng(input)) return input;
  const pixels = await engine.decode(toVerified(input), { channels: 3 }, signal);
  return toPng(input, await engine.encode(pixels, { format: 'png' }, signal));
}

function toPng(input: ProviderInput, bytes: Buffer): ProviderInput {
  return { ...input, ...uprightEdges(input), orientation: 1, bytes, mediaType: 'image/png' };
}

// Byte positions in the IHDR chunk, which comes first in every PNG (PNG specification, 11.2.1).
const BIT_DEPTH_AT = 24;
const COLOR_TYPE_AT = 25;
const TRUECOLOR = 2;

function isRgbPng({ mediaType, bytes, orientation }: ProviderInput): boolean {
  if (mediaType !== 'image/png' || orientation !== 1) return false;
  if (bytes[BIT_DEPTH_AT] !== 8 || bytes[COLOR_TYPE_AT] !== TRUECOLOR) return false;
  const head = bytes.subarray(0, bytes.indexOf('IDAT'));
  // `tRNS` declares a transparent colour and `iCCP` a colour space.
  return !head.includes('tRNS') && !head.includes('iCCP');
}

type Sizes = CapabilityDocument['sizes'];

/**
 * Sets the size of a call without a size to the size of its first source, or to the nearest supported size. Otherwise
 * some servers would draw 512x512 and stretch the source to it.
 */
function withSourceSize(request: ProviderRequest, sizes: Sizes): ProviderRequest {
  const [source] = request.images;
  if (request.parameters.size !== 'auto' || !source) return request;
  const { edge_multiple = 1, min_edge = 1, max_edge = 16_384 } = sizes;
  const bounds = { edge_multiple, min_edge, max_edge };
  const { width, height } = fittedEdges(uprightEdges(source), bounds);
  return { ...request, parameters: { ...request.parameters, size: `${width}x${height}` } };
}
