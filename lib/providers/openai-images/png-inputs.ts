import type { ImageEngine } from '../../images/image.ts';
import type { ProviderInput, ProviderRequest } from '../provider-port.ts';

type Engine = Pick<ImageEngine, 'convert'>;

/** The same call with all its images as PNG. Rejects with the signal's reason. */
export async function toPngInputs(
  request: ProviderRequest,
  engine: Engine,
  signal: AbortSignal,
): Promise<ProviderRequest> {
  const toPng = (input: ProviderInput) => asPng(input, engine, signal);
  return {
    ...request,
    images: await Promise.all(request.images.map(toPng)),
    references: await Promise.all(request.references.map(toPng)),
  };
}

const FORMATS = { 'image/jpeg': 'jpeg', 'image/webp': 'webp' } as const;

async function asPng(
  input: ProviderInput,
  engine: Engine,
  signal: AbortSignal,
): Promise<ProviderInput> {
  const { mediaType } = input;
  if (mediaType === 'image/png') return input;
  // A conversion ignores `alpha`: it keeps what there is.
  const image = { ...input, format: FORMATS[mediaType], alpha: 'some' } as const;
  return {
    ...input,
    bytes: await engine.convert(image, { format: 'png' }, signal),
    mediaType: 'image/png',
  };
}
