import type { Delivered, Warning } from '../contract/image-response.ts';
import { type Parameters, parseSize } from '../contract/parameters.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { ImageEngine, VerifiedImage } from '../images/image.ts';
import type { ProviderOutput } from '../providers/provider-port.ts';
import type { GenerationRequest } from './generation-request.ts';
import type { NegotiatedRequest } from './negotiation.ts';

interface Deps {
  readonly engine: ImageEngine;
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

  /** Throws `protocol` for a picture that does not verify or is not what was asked for, `upstream` for a missing revised prompt. */
  return async function finish(
    { index, output, generationMs }: Unfinished,
    request: GenerationRequest,
    negotiated: NegotiatedRequest,
    signal: AbortSignal,
  ): Promise<FinishedOutput> {
    const warnings: Warning[] = [];
    const { compatibility, revised_prompt: policy } = request.policies;
    if (policy === 'require' && output.revisedPrompt === undefined) {
      throw new BridgeError('upstream', 'the provider gave no revised prompt');
    }
    let image = await verified(output.bytes, signal);
    if (image.format !== negotiated.effective.output_format) {
      // Under strict only a format that the provider was not asked for can get here.
      if (compatibility === 'strict') throw wrongFormat();
      const { output_format: format, output_compression: compression } = negotiated.effective;
      const options = { format, ...(compression === null ? {} : { compression }) };
      image = await verified(await engine.convert(image, options, signal), signal);
      warnings.push('output_format_converted');
    }
    const verdict = judge(index, image, request);
    if (verdict.size === 'changed') warnings.push('output_size_differs');
    if (request.parameters.background === 'transparent' && isNotTransparent(image)) {
      const alpha = image.alpha === 'empty' ? 'empty' : 'opaque';
      if (compatibility !== 'best_effort') throw failedTransparency(alpha);
      warnings.push('transparency_failed');
    }
    const revisedPrompt = policy === 'omit' ? undefined : output.revisedPrompt;
    return { index, image, revisedPrompt, generationMs, verdict, warnings };
  };
}

/** What came back against what was asked, by the decoded pixels (contract.md 2, `delivered`). */
export function judge(index: number, image: VerifiedImage, request: GenerationRequest): Delivered {
  const asked: Parameters = request.parameters;
  const size = parseSize(asked.size);
  const hasAlpha = image.alpha === 'some' || image.alpha === 'empty';
  const wantsAlpha = asked.background === 'transparent';
  const isAsWished = wantsAlpha ? !isNotTransparent(image) : !hasAlpha;
  return {
    index,
    size: !size
      ? 'unspecified'
      : verdictOf(image.width === size.width && image.height === size.height),
    format: request.formatNamed ? verdictOf(image.format === asked.output_format) : 'unspecified',
    alpha: asked.background === 'auto' ? 'unspecified' : verdictOf(isAsWished),
  };
}

function verdictOf(isHonoured: boolean): 'honoured' | 'changed' {
  return isHonoured ? 'honoured' : 'changed';
}

/** Nothing to see through, or nothing to see. */
function isNotTransparent({ alpha }: VerifiedImage): boolean {
  return alpha !== 'some';
}

function wrongFormat(): BridgeError {
  return new BridgeError('protocol', 'the provider gave another format than it was asked for', {
    details: { reason: 'format_mismatch' },
  });
}

function failedTransparency(alpha: 'opaque' | 'empty'): BridgeError {
  return new BridgeError('protocol', 'the picture did not come out transparent', {
    details: { alpha },
  });
}
