import type { Delivered, Warning } from '../../contract/reply/image-response.ts';
import { MAX_FORMAT_EDGE } from '../../contract/request/parameters.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { EncodeOptions, ImageTools, MaskedSource, VerifiedImage } from '../../images/image.ts';
import type { ProviderOutput } from '../../providers/provider-port.ts';
import type { FinishPlan } from '../plan/plan.ts';
import { toDelivered } from './delivered.ts';
import { putBack } from './put-back.ts';

interface Deps {
  readonly engine: Pick<
    ImageTools,
    'inspect' | 'convert' | 'removeBackground' | 'composite' | 'hasManifest'
  >;
}

/** One output that can be delivered. */
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
  /** What is put back into it; undefined without an emulated mask. */
  readonly masked?: MaskedSource | undefined;
}

export type Finish = ReturnType<typeof createFinish>;

/** Verifies an output of a provider and makes it what was asked for. */
export function createFinish({ engine }: Deps) {
  async function verified(bytes: Buffer, signal: AbortSignal): Promise<VerifiedImage> {
    const inspection = await engine.inspect(bytes, signal);
    if (inspection.ok) return inspection.image;
    throw new BridgeError('protocol', 'the image of the provider does not verify', {
      details: { reason: inspection.fault },
    });
  }

  /** An image that the bridge made is verified like any other. */
  async function verifiedOwn(making: Promise<Buffer>, signal: AbortSignal): Promise<VerifiedImage> {
    const inspection = await engine.inspect(await making, signal);
    if (inspection.ok) return inspection.image;
    throw new BridgeError('internal', 'an image made by the bridge does not verify', {
      details: { reason: inspection.fault },
    });
  }

  function converted(image: VerifiedImage, { encoding }: FinishPlan, signal: AbortSignal) {
    checkEdges(image, encoding);
    return verifiedOwn(engine.convert(image, encoding, signal), signal);
  }

  /** The subject alone where the plan has a matte; else the image as it is. */
  async function withoutBackground(
    image: VerifiedImage,
    { matte, encoding }: FinishPlan,
    signal: AbortSignal,
  ): Promise<VerifiedImage> {
    if (!matte) return image;
    checkEdges(image, encoding);
    return verifiedOwn(engine.removeBackground(image, matte, encoding, signal), signal);
  }

  /** What the plan makes of the given image here, if anything, already in the format that is delivered. */
  async function made(
    given: VerifiedImage,
    masked: MaskedSource | undefined,
    plan: FinishPlan,
    signal: AbortSignal,
  ): Promise<VerifiedImage> {
    if (!masked) return withoutBackground(given, plan, signal);
    return verifiedOwn(putBack(engine, given, masked, plan.encoding, signal), signal);
  }

  /**
   * Throws `protocol` for an image that does not verify or is not what was asked for, `upstream` for a missing revised
   * prompt.
   */
  return async function finish(
    { index, output, generationMs, masked }: Unfinished,
    plan: FinishPlan,
    signal: AbortSignal,
  ): Promise<FinishedOutput> {
    if (plan.revisedPrompt === 'require' && output.revisedPrompt === undefined) {
      throw new BridgeError('upstream', 'the provider gave no revised prompt', {
        effect: 'made',
        details: { reason: 'no_revised_prompt' },
      });
    }
    const { format } = plan.encoding;
    const given = await verified(output.bytes, signal);
    const isExact = plan.compatibility === 'strict' && output.anyFormat !== true;
    if (isExact && given.format !== plan.providerFormat) throw wrongFormat();
    const changed = await made(given, masked, plan, signal);
    // Before a conversion, which may remove the alpha that is checked here.
    const isTransparent = checkTransparency(changed, plan);
    // Where no background could be removed, the image is delivered as it was generated.
    const whole = isTransparent || masked ? changed : given;
    const image = whole.format === format ? whole : await converted(whole, plan, signal);
    const isSealed = plan.embedsRecord && (await engine.hasManifest(image, signal));
    const verdict = toDelivered(index, image, plan.requested);
    const warnings: Warning[] = [
      ...(verdict.size === 'changed' ? (['output_size_differs'] as const) : []),
      ...(given.format === format ? [] : (['output_format_converted'] as const)),
      ...(isTransparent ? [] : (['transparency_failed'] as const)),
      ...(isSealed ? (['metadata_not_embedded'] as const) : []),
    ];
    const revisedPrompt = plan.revisedPrompt === 'omit' ? undefined : output.revisedPrompt;
    return { index, image, revisedPrompt, generationMs, verdict, warnings };
  };
}

/**
 * Whether the image has the transparency that was asked for, if any was. Throws `protocol` for an opaque image, which
 * `best_effort` takes all the same, and for one in which there is nothing to see.
 */
function checkTransparency(
  { alpha }: VerifiedImage,
  { requested, compatibility }: FinishPlan,
): boolean {
  if (requested.parameters.background !== 'transparent' || alpha === 'some') return true;
  if (alpha !== 'empty' && compatibility === 'best_effort') return false;
  throw new BridgeError('protocol', 'the image did not come out transparent', {
    details: { alpha: alpha === 'empty' ? 'empty' : 'opaque' },
  });
}

/** Throws `protocol` for an image that came out too large for the format that was asked for. */
function checkEdges({ width, height }: VerifiedImage, { format }: EncodeOptions): void {
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
