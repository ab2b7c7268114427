import type { Delivered, Warning } from '../../contract/reply/image-response.ts';
import { MAX_FORMAT_EDGE, type Parameters } from '../../contract/request/parameters.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { ImageEngine, VerifiedImage } from '../../images/image.ts';
import type { ProviderOutput } from '../../providers/provider-port.ts';
import type { GenerationRequest } from '../generation-request.ts';
import type { NegotiatedRequest } from '../plan/negotiation.ts';
import { toDelivered } from './delivered.ts';

interface Deps {
  readonly engine: Pick<ImageEngine, 'inspect' | 'convert' | 'removeBackground'>;
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
    throw new BridgeError('protocol', 'the provider gave an image that is not sound', {
      details: { reason: inspection.fault },
    });
  }

  /** What we made ourselves is checked like anything else. */
  async function verifiedOwn(making: Promise<Buffer>, signal: AbortSignal): Promise<VerifiedImage> {
    const inspection = await engine.inspect(await making, signal);
    if (inspection.ok) return inspection.image;
    throw new BridgeError('internal', 'an image that the bridge has made is unsound', {
      details: { reason: inspection.fault },
    });
  }

  function converted(image: VerifiedImage, { effective }: NegotiatedRequest, signal: AbortSignal) {
    checkEdges(image, effective);
    return verifiedOwn(engine.convert(image, encodingOf(effective), signal), signal);
  }

  /** The subject alone where the plan is to cut it out; the image as it is for any other plan. */
  async function withoutBackground(
    image: VerifiedImage,
    request: GenerationRequest,
    { effective, transparency }: NegotiatedRequest,
    signal: AbortSignal,
  ): Promise<VerifiedImage> {
    if (transparency.kind !== 'chroma_key') return image;
    checkEdges(image, effective);
    const { transparent_threshold, opaque_threshold, despill } = request.output.transparency;
    const matte = {
      keyColor: transparency.keyColor,
      transparentThreshold: transparent_threshold,
      opaqueThreshold: opaque_threshold,
      despill,
    };
    return verifiedOwn(
      engine.removeBackground(image, matte, encodingOf(effective), signal),
      signal,
    );
  }

  /** Throws `protocol` for an image that does not verify or is not what was asked for, `upstream` for a missing revised prompt. */
  return async function finish(
    { index, output, generationMs }: Unfinished,
    request: GenerationRequest,
    negotiated: NegotiatedRequest,
    signal: AbortSignal,
  ): Promise<FinishedOutput> {
    const { effective } = negotiated;
    const { compatibility, revised_prompt: policy } = request.policies;
    if (policy === 'require' && output.revisedPrompt === undefined) {
      throw new BridgeError('upstream', 'the provider gave no revised prompt');
    }
    const given = await verified(output.bytes, signal);
    if (given.format !== negotiated.providerFormat && compatibility === 'strict') {
      throw wrongFormat();
    }
    const cut = await withoutBackground(given, request, negotiated, signal);
    // Before a conversion, which may do away with the alpha that is judged here.
    const isTransparent = checkTransparency(cut, request);
    // Where nothing could be cut out, the image is delivered as it was painted.
    const whole = isTransparent ? cut : given;
    const fits = whole.format === effective.output_format;
    const image = fits ? whole : await converted(whole, negotiated, signal);
    const verdict = toDelivered(index, image, request);
    const warnings: Warning[] = [
      ...(verdict.size === 'changed' ? (['output_size_differs'] as const) : []),
      ...(given.format === effective.output_format ? [] : (['output_format_converted'] as const)),
      ...(isTransparent ? [] : (['transparency_failed'] as const)),
    ];
    const revisedPrompt = policy === 'omit' ? undefined : output.revisedPrompt;
    return { index, image, revisedPrompt, generationMs, verdict, warnings };
  };
}

/**
 * Whether the image has the transparency that was asked for, if any was. Throws `protocol` for an opaque image, which
 * `best_effort` takes all the same, and for one in which there is nothing to see.
 */
function checkTransparency({ alpha }: VerifiedImage, request: GenerationRequest): boolean {
  if (request.parameters.background !== 'transparent' || alpha === 'some') return true;
  if (alpha !== 'empty' && request.policies.compatibility === 'best_effort') return false;
  throw new BridgeError('protocol', 'the image did not come out transparent', {
    details: { alpha: alpha === 'empty' ? 'empty' : 'opaque' },
  });
}

function encodingOf({ output_format: format, output_compression: compression }: Parameters) {
  return { format, ...(compression === null ? {} : { compression }) };
}

/** Throws `protocol` for an image that came out too large for the format that was asked for. */
function checkEdges({ width, height }: VerifiedImage, { output_format: format }: Parameters): void {
  if (Math.max(width, height) <= MAX_FORMAT_EDGE[format]) return;
  throw new BridgeError('protocol', 'the provider gave an image too large for its format', {
    details: { reason: 'edge_too_long' },
  });
}

function wrongFormat(): BridgeError {
  return new BridgeError('protocol', 'the provider gave another format than it was asked for', {
    details: { reason: 'format_mismatch' },
  });
}
