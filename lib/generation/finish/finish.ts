import type { Delivered, Warning } from '../../contract/reply/image-response.ts';
import { MAX_FORMAT_EDGE, parseSize } from '../../contract/request/parameters.ts';
import { toSourceTypeUrl } from '../../contract/resources/source-type.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import {
  type CheckedImage,
  type EncodeOptions,
  type ImageTools,
  inParts,
  type MaskedSource,
  type VerifiedImage,
  type VerifiedInParts,
} from '../../images/image.ts';
import type { Credentials } from '../../provenance/credentials.ts';
import type { ProviderOutput } from '../../providers/provider-port.ts';
import { ownImage, putBack } from '../emulated-mask.ts';
import type { FinishPlan } from '../plan/plan.ts';
import { type MarkedImage, planMark, withMark } from './mark.ts';
import { type CredentialDeps, type Treatment, treat } from './treatment.ts';

interface Deps extends CredentialDeps {
  readonly engine: Pick<
    ImageTools,
    | 'check'
    | 'checkAndMark'
    | 'convert'
    | 'removeBackground'
    | 'composite'
    | 'manifestBytes'
    | 'hasCredentialLink'
    | 'readSourceType'
    | 'writeXmp'
  >;
  readonly credentials: CredentialDeps['credentials'] & Pick<Credentials, 'marks'>;
  /** The images of the request. */
  readonly inputs: readonly VerifiedImage[];
}

/** An output that can be delivered. If the request asks for an embedded record, the mark is written later, with the record. */
export interface FinishedOutput extends MarkedImage {
  readonly index: number;
  readonly revisedPrompt: string | undefined;
  readonly generationMs: number;
  readonly verdict: Delivered;
  readonly warnings: readonly Warning[];
  readonly treatment: Treatment;
  /** URL of the source type of the mark that is written with a record. */
  readonly sourceType: string;
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
export function createFinish(deps: Deps) {
  const { engine, credentials, inputs } = deps;

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
    unfinished: Unfinished,
    plan: FinishPlan,
    signal: AbortSignal,
  ): Promise<FinishedOutput> {
    const { index, output, generationMs, masked } = unfinished;
    checkRevisedPrompt(output, plan);
    const { format } = plan.encoding;
    const { image: given, marked } = await verified(unfinished, plan, deps, signal);
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
      deps,
      signal,
    );
    const marking = await planMark({ ...parts, sourceType }, engine, signal);
    const isMarked = credentials.marks && treatment.takesXmp && !embedsRecord;
    const kept = { image, marked: image === given ? marked : undefined };
    const last = isMarked
      ? await withMark(kept, marking, engine, signal)
      : { image: inParts(image), mark: marking.present };
    const verdict = toDelivered(index, image, plan.requested);
    const warnings: Warning[] = [
      ...(verdict.size === 'changed' ? (['output_size_differs'] as const) : []),
      ...(given.format === format ? [] : (['output_format_converted'] as const)),
      ...(isTransparent ? [] : (['transparency_failed'] as const)),
      ...treatment.warnings,
    ];
    const revisedPrompt = plan.revisedPrompt === 'omit' ? undefined : output.revisedPrompt;
    return {
      ...last,
      index,
      revisedPrompt,
      generationMs,
      verdict,
      warnings,
      treatment,
      sourceType: marking.sourceType,
    };
  };
}

/** Throws `upstream` if a required revised prompt is missing. */
function checkRevisedPrompt(output: ProviderOutput, plan: FinishPlan): void {
  if (plan.revisedPrompt !== 'require' || output.revisedPrompt !== undefined) return;
  throw new BridgeError('upstream', 'the provider returned no revised prompt', {
    effect: 'made',
    details: { reason: 'no_revised_prompt' },
  });
}

/** A checked image of a provider, and the image with its mark if only a mark is expected to be added. */
interface Verified {
  readonly image: CheckedImage;
  readonly marked?: VerifiedInParts | undefined;
}

/**
 * Verifies an image of a provider. If the plan changes nothing but the mark, the mark is added while the pixels are decoded.
 * Throws `protocol` for an invalid image, and for the wrong format under `strict`.
 */
async function verified(
  { output: { bytes, anyFormat }, masked }: Unfinished,
  { compatibility, providerFormat, encoding, matte, embedsRecord, sourceType }: FinishPlan,
  { engine, credentials }: Pick<Deps, 'engine' | 'credentials'>,
  signal: AbortSignal,
): Promise<Verified> {
  const keepsPixels = !masked && !matte && providerFormat === encoding.format;
  const inspection =
    credentials.marks && keepsPixels && !embedsRecord
      ? await engine.checkAndMark(bytes, toSourceTypeUrl(sourceType), signal)
      : await engine.check(bytes, signal);
  if (!inspection.ok) {
    throw new BridgeError('protocol', 'the provider returned an invalid image', {
      details: { reason: inspection.fault },
    });
  }
  const isExact = compatibility === 'strict' && anyFormat !== true;
  if (isExact && inspection.image.format !== providerFormat) {
    throw new BridgeError('protocol', 'the provider returned a wrong image format', {
      details: { reason: 'format_mismatch' },
    });
  }
  return inspection;
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
