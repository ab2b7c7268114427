import { BridgeError } from '../../errors/bridge-error.ts';
import {
  type EncodeOptions,
  type ImageTools,
  type MaskedSource,
  uprightEdges,
  type VerifiedImage,
} from '../../images/image.ts';

type Edges = Pick<VerifiedImage, 'width' | 'height'>;

/** How much the ratio of an image may differ from that of the canvas that it shows. */
const MAX_RATIO_ERROR = 0.03;

/**
 * The source with what its mask lets through of `drawn` (`ImageTools.composite`). Throws `protocol` for an image that cannot
 * show the canvas.
 */
export async function putBack(
  engine: Pick<ImageTools, 'composite'>,
  drawn: VerifiedImage,
  masked: MaskedSource,
  encoding: EncodeOptions,
  signal: AbortSignal,
): Promise<Buffer> {
  const ratio = ratioOf(uprightEdges(drawn)) / ratioOf(masked.canvas);
  if (Math.max(ratio, 1 / ratio) > 1 + MAX_RATIO_ERROR) {
    throw new BridgeError(
      'protocol',
      'the provider gave an image of another shape than its source',
      {
        details: { reason: 'ratio_differs' },
      },
    );
  }
  return engine.composite(drawn, masked, encoding, signal);
}

function ratioOf({ width, height }: Edges): number {
  return width / height;
}
