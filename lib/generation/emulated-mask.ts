import { BridgeError } from '../errors/bridge-error.ts';
import {
  type CheckedImage,
  type Edges,
  type EncodeOptions,
  type ImageFault,
  type ImageTools,
  type Inspection,
  type MaskedSource,
  uprightEdges,
  type VerifiedImage,
} from '../images/image.ts';
import type { InputSet } from '../inputs/input-source.ts';
import type { Plan } from './plan/plan.ts';

/** The images to send to a provider, and the source and mask to composite with the images that it returns. */
export interface MaskedInputs {
  readonly inputs: InputSet<VerifiedImage>;
  /** Undefined unless the mask is emulated. */
  readonly masked: MaskedSource | undefined;
}

const TOO_LARGE: ReadonlySet<ImageFault> = new Set([
  'too_many_bytes',
  'too_many_pixels',
  'edge_too_long',
]);

/**
 * Draws the source and the mask of an emulated mask on the canvas of the model. Throws `unsupported_capability` if the source is
 * too large after drawing it for the model or after encoding it for delivery.
 */
export async function drawMaskedInputs(
  engine: Pick<ImageTools, 'drawOnCanvas' | 'drawMask' | 'convert' | 'inspect'>,
  { ask: { mask: plan }, finish: { encoding } }: Pick<Plan, 'ask' | 'finish'>,
  inputs: InputSet<VerifiedImage>,
  signal: AbortSignal,
): Promise<MaskedInputs> {
  const { images, mask } = inputs;
  const [source, ...others] = images;
  if (!plan?.canvas || !source || !mask) return { inputs, masked: undefined };
  const { canvas, form = 'white', maxBytes } = plan;
  const verified = async (drawing: Promise<Buffer>) => {
    const inspection = await engine.inspect(await drawing, signal);
    if (!inspection.ok && TOO_LARGE.has(inspection.fault)) throw tooLarge();
    return ownImage(inspection);
  };
  const [image, drawnMask] = await Promise.all([
    verified(engine.drawOnCanvas(source, canvas, signal)),
    verified(engine.drawMask(mask, canvas, form, signal)),
  ]);
  if (image.bytes.length > maxBytes) throw tooLarge();
  // The result has the size of the source, which is larger than the drawn image. The source is encoded here as a check before the
  // image is paid for.
  const isScaled = canvas.area.width < uprightEdges(source).width;
  if (isScaled) await verified(engine.convert(source, encoding, signal));
  return {
    inputs: { ...inputs, images: [image, ...others], mask: drawnMask },
    masked: { source, mask, canvas },
  };
}

function tooLarge(): BridgeError {
  return new BridgeError(
    'unsupported_capability',
    'the image is too large for the provider or for delivery',
    {
      param: 'images',
      details: { field: 'images', reason: 'too_many_bytes' },
    },
  );
}

/** The maximum relative difference between the aspect ratios of an image and its canvas. */
const MAX_RATIO_ERROR = 0.03;

/**
 * Composites `drawn` over its source where the mask allows changes (`ImageTools.composite`). Throws `protocol` if the aspect
 * ratios of `drawn` and the canvas differ.
 */
export async function putBack(
  engine: Pick<ImageTools, 'composite'>,
  drawn: CheckedImage,
  masked: MaskedSource,
  encoding: EncodeOptions,
  signal: AbortSignal,
): Promise<Buffer> {
  const ratio = ratioOf(uprightEdges(drawn)) / ratioOf(masked.canvas);
  if (Math.max(ratio, 1 / ratio) > 1 + MAX_RATIO_ERROR) {
    throw new BridgeError('protocol', 'the provider returned an image with a wrong aspect ratio', {
      details: { reason: 'ratio_differs' },
    });
  }
  return engine.composite(drawn, masked, encoding, signal);
}

function ratioOf({ width, height }: Edges): number {
  return width / height;
}

/** Returns the inspected image, which the bridge has made. Throws `internal` if the image is invalid. */
export function ownImage<Image>(inspection: Inspection<Image>): Image {
  if (inspection.ok) return inspection.image;
  throw new BridgeError('internal', 'the bridge made an invalid image', {
    details: { reason: inspection.fault },
  });
}
