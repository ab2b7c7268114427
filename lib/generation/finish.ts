import type { Delivered, Warning } from '../contract/image-response.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { ImageEngine, VerifiedImage } from '../images/image.ts';
import type { ProviderOutput } from '../providers/provider-port.ts';
import type { GenerationRequest } from './generation-request.ts';
import type { NegotiatedRequest } from './negotiation.ts';
import { judge } from './verdict.ts';

interface Deps {
  readonly engine: Pick<ImageEngine, 'inspect' | 'convert'>;
}

/** One output that is fit to be delivered. */
export interface FinishedOutput {
  readonly index: number;
  readonly image: VerifiedImage;
  readonly revisedPrompt: string | undefined;
  readonly generationMs: number;
  readonly verdict: Delivered;
  readonly warnings: readonly Warning[];
}

export interface Unfinished {
  readonly index: number;
  readonly output: ProviderOutput;
  readonly generationMs: number;
}

export type Finish = ReturnType<typeof createFinish>;

/** Verifies what a provider gave and makes it what was asked for. */
export function createFinish({ engine }: Deps) {
  async function verified(bytes: Buffer, signal: AbortSignal): Promise<VerifiedImage> {
    const inspection = await engine.inspect(bytes, signal);
    if (inspection.ok) return inspection.image;
    throw new BridgeError('protocol', 'the provider gave a picture that is not sound', {
      details: { reason: inspection.fault },
    });
  }

  async function converted(
    image: VerifiedImage,
    { effective }: NegotiatedRequest,
    signal: AbortSignal,
  ): Promise<VerifiedImage> {
    const { output_format: format, output_compression: compression } = effective;
    const options = { format, ...(compression === null ? {} : { compression }) };
    const inspection = await engine.inspect(await engine.convert(image, options, signal), signal);
    if (inspection.ok) return inspection.image;
    throw new BridgeError('internal', 'a picture came out of its conversion unsound', {
      details: { reason: inspection.fault },
    });
  }

  /** Throws `protocol` for a picture that does not verify or is not what was asked for, `upstream` for a missing revised prompt. */
  return async function finish(
    { index, output, generationMs }: Unfinished,
    request: GenerationRequest,
    negotiated: NegotiatedRequest,
    signal: AbortSignal,
  ): Promise<FinishedOutput> {
    const { compatibility, revised_prompt: policy } = request.policies;
    if (policy === 'require' && output.revisedPrompt === undefined) {
      throw new BridgeError('upstream', 'the provider gave no revised prompt');
    }
    const given = await verified(output.bytes, signal);
    if (given.format !== negotiated.providerFormat && compatibility === 'strict') {
      throw wrongFormat();
    }
    const fits = given.format === negotiated.effective.output_format;
    // Before a conversion, which may do away with the alpha that is judged here.
    const isTransparent = checkTransparency(given, request);
    const image = fits ? given : await converted(given, negotiated, signal);
    const verdict = judge(index, image, request);
    const warnings: Warning[] = [
      ...(verdict.size === 'changed' ? (['output_size_differs'] as const) : []),
      ...(fits ? [] : (['output_format_converted'] as const)),
      ...(isTransparent ? [] : (['transparency_failed'] as const)),
    ];
    const revisedPrompt = policy === 'omit' ? undefined : output.revisedPrompt;
    return { index, image, revisedPrompt, generationMs, verdict, warnings };
  };
}

/**
 * Whether the picture has the transparency that was asked for, if any was. Throws `protocol` for an opaque picture, which
 * `best_effort` takes all the same, and for one in which there is nothing to see.
 */
function checkTransparency({ alpha }: VerifiedImage, request: GenerationRequest): boolean {
  if (request.parameters.background !== 'transparent' || alpha === 'some') return true;
  if (alpha !== 'empty' && request.policies.compatibility === 'best_effort') return false;
  throw new BridgeError('protocol', 'the picture did not come out transparent', {
    details: { alpha: alpha === 'empty' ? 'empty' : 'opaque' },
  });
}

function wrongFormat(): BridgeError {
  return new BridgeError('protocol', 'the provider gave another format than it was asked for', {
    details: { reason: 'format_mismatch' },
  });
}
