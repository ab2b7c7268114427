import { BridgeError } from '../../errors/bridge-error.ts';
import {
  type ImageFault,
  type ImageTools,
  type MaskedSource,
  uprightEdges,
  type VerifiedImage,
} from '../../images/image.ts';
import type { InputSet } from '../../inputs/input-source.ts';
import type { Plan } from '../plan/plan.ts';

interface Deps {
  readonly engine: Pick<ImageTools, 'drawOnCanvas' | 'drawMask' | 'convert' | 'inspect'>;
}

/** The images that a provider is sent, and what is put back into the images that it returns. */
export interface MaskedInputs {
  readonly inputs: InputSet<VerifiedImage>;
  /** Undefined without an emulated mask. */
  readonly masked: MaskedSource | undefined;
}

const TOO_LARGE: ReadonlySet<ImageFault> = new Set([
  'too_many_bytes',
  'too_many_pixels',
  'edge_too_long',
]);

/** Draws the source of an emulated mask, and the mask itself, as the model is to get them. */
export function createMaskedInputs({ engine }: Deps) {
  async function verified(drawing: Promise<Buffer>, signal: AbortSignal): Promise<VerifiedImage> {
    const inspection = await engine.inspect(await drawing, signal);
    if (inspection.ok) return inspection.image;
    if (TOO_LARGE.has(inspection.fault)) throw tooLarge();
    throw new BridgeError('internal', 'an image made by the bridge does not verify', {
      details: { reason: inspection.fault },
    });
  }

  /** Throws `unsupported_capability` for a source that becomes too large, as it is sent or as it is delivered. */
  return async function maskedInputs(
    { ask: { mask: plan }, finish: { encoding } }: Pick<Plan, 'ask' | 'finish'>,
    inputs: InputSet<VerifiedImage>,
    signal: AbortSignal,
  ): Promise<MaskedInputs> {
    const { images, mask } = inputs;
    const [source, ...others] = images;
    if (!plan?.canvas || !source || !mask) return { inputs, masked: undefined };
    const { canvas, form = 'white', maxBytes } = plan;
    const [image, drawnMask] = await Promise.all([
      verified(engine.drawOnCanvas(source, canvas, signal), signal),
      verified(engine.drawMask(mask, canvas, form, signal), signal),
    ]);
    if (image.bytes.length > maxBytes) throw tooLarge();
    // The result is larger than what is drawn: it has to fit too, and is known only once it has been paid for.
    const isScaled = canvas.area.width < uprightEdges(source).width;
    if (isScaled) await verified(engine.convert(source, encoding, signal), signal);
    return {
      inputs: { ...inputs, images: [image, ...others], mask: drawnMask },
      masked: { source, mask, canvas },
    };
  };
}

function tooLarge(): BridgeError {
  return new BridgeError(
    'unsupported_capability',
    'the image is too large to be sent, or to be delivered',
    {
      param: 'images',
      details: { field: 'images', reason: 'too_many_bytes' },
    },
  );
}
