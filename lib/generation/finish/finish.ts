import type { Delivered, Warning } from '../../contract/reply/image-response.ts';
import { MAX_FORMAT_EDGE, parseSize } from '../../contract/request/parameters.ts';
import { toSourceTypeUrl } from '../../contract/resources/source-type.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type {
  CheckedImage,
  EncodeOptions,
  ImageTools,
  MaskedSource,
  VerifiedImage,
} from '../../images/image.ts';
import type { ProviderOutput } from '../../providers/provider-port.ts';
import { ownImage, putBack } from '../emulated-mask.ts';
import type { FinishPlan } from '../plan/plan.ts';
import { type MarkPlan, planMark } from './mark.ts';
import { type CredentialDeps, type Treatment, treat } from './treatment.ts';

interface Deps extends CredentialDeps {
  readonly engine: Pick<
    ImageTools,
    | 'check'
    | 'convert'
    | 'removeBackground'
    | 'composite'
    | 'manifestBytes'
    | 'hasCredentialLink'
    | 'readSourceType'
  >;
  /** The images of the request. */
  readonly inputs: readonly VerifiedImage[];
}

/** An output that can be delivered. */
export interface FinishedOutput {
  readonly index: number;
  readonly image: CheckedImage;
  readonly revisedPrompt: string | undefined;
  readonly generationMs: number;
  readonly verdict: Delivered;
  readonly warnings: readonly Warning[];
  readonly treatment: Treatment;
  readonly marking: MarkPlan;
}

export interface Unfinished {
  readonly index: number;
  readonly output: ProviderOutput;
  readonly generationMs: number;
  /** The source and the mask to composite with the output. Undefined unless the mask is emulated. */
  readonly masked?: MaskedSource | undefined;
}

export type Finish = ReturnType<typeof createFinish>;

/** Creates the function that verifies an output of a provider and converts the output to the requested form. */
export function createFinish({ engine, credentials, inputs }: Deps) {
  async function verified(bytes: Buffer, signal: AbortSignal): Promise<CheckedImage> {
    const inspection = await engine.check(bytes, signal);
    if (inspection.ok) return inspection.image;
    throw new BridgeError('protocol', 'the provider returned an invalid image', {
      details: { reason: inspection.fault },
    });
  }

  /** Verifies an image that the bridge made. */
  async function verifiedOwn(making: Promise<Buffer>, signal: AbortSignal): Promise<CheckedImage> {
    return ownImage(await engine.check(await making, signal));
  }

  function converted(image: CheckedImage, { encoding }: FinishPlan, signal: AbortSignal) {
    checkEdges(image, encoding);
    return verifiedOwn(engine.convert(image, encoding, signal), signal);
  }

  /** Composites an emulated mask or removes the background. Both steps encode the image in the format that is delivered. */
  async function made(
    given: CheckedImage,
    masked: MaskedSource | undefined,
    { matte, encoding }: FinishPlan,
    signal: AbortSignal,
  ): Promise<CheckedImage> {
    if (masked) return verifiedOwn(putBack(engine, given, masked, encoding, signal), signal);
    if (!matte) return given;
    checkEdges(given, encoding);
    return verifiedOwn(engine.removeBackground(given, matte, encoding, signal), signal);
  }

  /**
   * Throws `protocol` if the image is invalid or does not meet the request. Throws `upstream` if a required revised prompt is
   * missing.
   */
  return async function finish(
    { index, output, generationMs, masked }: Unfinished,
    plan: FinishPlan,
    signal: AbortSignal,
  ): Promise<FinishedOutput> {
    if (plan.revisedPrompt === 'require' && output.revisedPrompt === undefined) {
      throw new BridgeError('upstream', 'the provider returned no revised prompt', {
        effect: 'made',
        details: { reason: 'no_revised_prompt' },
      });
    }
    const { format } = plan.encoding;
    const given = await verified(output.bytes, signal);
    const isExact = plan.compatibility === 'strict' && output.anyFormat !== true;
    if (isExact && given.format !== plan.providerFormat) {
      throw new BridgeError('protocol', 'the provider returned a wrong image format', {
        details: { reason: 'format_mismatch' },
      });
    }
    const changed = await made(given, masked, plan, signal);
    // Checked before a conversion, because a conversion may remove the alpha channel.
    const isTransparent = checkTransparency(changed, plan);
    // If the background could not be removed, the image is delivered as the provider returned it.
    const whole = isTransparent || masked ? changed : given;
    const image = whole.format === format ? whole : await converted(whole, plan, signal);
    const isCutOut = whole !== given && !masked;
    const { embedsRecord, model, sourceType } = plan;
    const parts = { given, image, masked, isCutOut, inputs, embedsRecord, model };
    const treatment = await treat(
      { ...parts, sourceType: toSourceTypeUrl(sourceType) },
      { engine, credentials },
      signal,
    );
    const marking = await planMark({ ...parts, sourceType }, engine, signal);
    const verdict = toDelivered(index, image, plan.requested);
    const warnings: Warning[] = [
      ...(verdict.size === 'changed' ? (['output_size_differs'] as const) : []),
      ...(given.format === format ? [] : (['output_format_converted'] as const)),
      ...(isTransparent ? [] : (['transparency_failed'] as const)),
      ...treatment.warnings,
    ];
    const revisedPrompt = plan.revisedPrompt === 'omit' ? undefined : output.revisedPrompt;
    return { index, image, revisedPrompt, generationMs, verdict, warnings, treatment, marking };
  };
}

/**
 * Returns true if the image is transparent as requested, or if no transparency was requested. Returns false for an opaque image
 * under `best_effort`. Throws `protocol` for an opaque image in the other modes, and for an empty image in every mode.
 */
function checkTransparency(
  { alpha }: CheckedImage,
  { requested, compatibility }: FinishPlan,
): boolean {
  if (requested.parameters.background !== 'transparent' || alpha === 'some') return true;
  if (alpha !== 'empty' && compatibility === 'best_effort') return false;
  const message = 'the provider returned an image without the requested transparency';
  const details = { alpha: alpha === 'empty' ? 'empty' : 'opaque' };
  throw new BridgeError('protocol', message, { details });
}

/** Throws `protocol` for an image that is too large for the requested format. */
function checkEdges({ width, height }: CheckedImage, { format }: EncodeOptions): void {
  if (Math.max(width, height) <= MAX_FORMAT_EDGE[format]) return;
  throw new BridgeError('protocol', 'the image is too large for the requested format', {
    details: { reason: 'edge_too_long' },
  });
}

type Requested = FinishPlan['requested'];
type Actual = Pick<CheckedImage, 'format' | 'width' | 'height' | 'alpha'>;

/** Compares a delivered image with the request. The comparison uses only the decoded image, not the claims of the provider. */
export function toDelivered(
  index: number,
  image: Actual,
  { parameters, formatNamed }: Requested,
): Delivered {
  const size = parseSize(parameters.size);
  const isSize = size?.width === image.width && size.height === image.height;
  return {
    index,
    size: size ? verdictOf(isSize) : 'unspecified',
    format: formatNamed ? verdictOf(image.format === parameters.output_format) : 'unspecified',
    alpha: alphaVerdict(image, parameters.background),
  };
}

function alphaVerdict(
  { alpha }: Actual,
  background: Requested['parameters']['background'],
): Delivered['alpha'] {
  const isSomeBelow255 = alpha === 'some' || alpha === 'empty';
  switch (background) {
    case 'auto':
      return 'unspecified';
    case 'transparent':
      return verdictOf(isSomeBelow255);
    case 'opaque':
      return verdictOf(!isSomeBelow255);
  }
}

function verdictOf(isHonoured: boolean): 'honoured' | 'changed' {
  return isHonoured ? 'honoured' : 'changed';
}
