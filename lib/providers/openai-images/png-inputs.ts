import { type ImageEngine, uprightEdges } from '../../images/image.ts';
import type { ProviderInput, ProviderRequest } from '../provider-port.ts';
import type { Dialect } from './dialects.ts';

type Engine = Pick<ImageEngine, 'convert' | 'decode' | 'encode'>;

/** Returns the same call with all its images in the form that the dialect reads. Rejects with the signal's reason. */
export async function toPngInputs(
  request: ProviderRequest,
  { reads }: Pick<Dialect, 'reads'>,
  engine: Engine,
  signal: AbortSignal,
): Promise<ProviderRequest> {
  if (reads === undefined) return request;
  const toReadable = (input: ProviderInput) =>
    reads === 'png' ? asPng(input, engine, signal) : asRgbPng(input, engine, signal);
  const { maskImage } = request;
  return {
    ...request,
    images: await Promise.all(request.images.map(toReadable)),
    references: await Promise.all(request.references.map(toReadable)),
    ...(maskImage ? { maskImage: await toReadable(maskImage) } : {}),
  };
}

const FORMATS = { 'image/png': 'png', 'image/jpeg': 'jpeg', 'image/webp': 'webp' } as const;

/** A decoding or a conversion ignores `alpha`: it keeps what there is. */
function verified(input: ProviderInput) {
  return { ...input, format: FORMATS[input.mediaType], alpha: 'some' } as const;
}

async function asPng(
  input: ProviderInput,
  engine: Engine,
  signal: AbortSignal,
): Promise<ProviderInput> {
  if (input.mediaType === 'image/png') return input;
  return toPng(input, await engine.convert(verified(input), { format: 'png' }, signal));
}

/** A PNG of three channels in 8 bits: transparent pixels are blended with white, grey ones become colours. */
async function asRgbPng(
  input: ProviderInput,
  engine: Engine,
  signal: AbortSignal,
): Promise<ProviderInput> {
  if (isRgbPng(input)) return input;
  const pixels = await engine.decode(verified(input), { channels: 3 }, signal);
  return toPng(input, await engine.encode(pixels, { format: 'png' }, signal));
}

function toPng(input: ProviderInput, bytes: Buffer): ProviderInput {
  return { ...input, ...uprightEdges(input), orientation: 1, bytes, mediaType: 'image/png' };
}

// Bytes of the first chunk, IHDR, which every PNG has at the same place (PNG specification, 11.2.1).
const BIT_DEPTH_AT = 24;
const COLOR_TYPE_AT = 25;
const TRUECOLOR = 2;

function isRgbPng({ mediaType, bytes, orientation }: ProviderInput): boolean {
  if (mediaType !== 'image/png' || orientation !== 1) return false;
  if (bytes[BIT_DEPTH_AT] !== 8 || bytes[COLOR_TYPE_AT] !== TRUECOLOR) return false;
  const head = bytes.subarray(0, bytes.indexOf('IDAT'));
  // A colour that counts as transparent, and colours of another space.
  return !head.includes('tRNS') && !head.includes('iCCP');
}
