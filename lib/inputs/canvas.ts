import type { CanvasArea } from '../contract/request/image-input.ts';
import {
  type Edges,
  type ImageLimits,
  type ImageTools,
  inParts,
  uprightEdges,
  type VerifiedImage,
} from '../images/image.ts';
import { badInput } from './bad-input.ts';
import type { PlannedSource } from './input-source.ts';

/** An image on its canvas, and the mask of the part beyond the image. The mask is absent if there is no such part. */
interface PlacedInput {
  readonly image: VerifiedImage;
  readonly mask?: VerifiedImage;
}

type CanvasLimits = Pick<ImageLimits, 'max_pixels' | 'max_edge'>;

export function edgesOf({ width, height }: CanvasArea): Edges {
  return { width, height };
}

/** Returns true if a part of the canvas is beyond the edges of the image. */
export function isBeyond(image: Edges, { x, y, width, height }: CanvasArea): boolean {
  return x < 0 || y < 0 || x + width > image.width || y + height > image.height;
}

function isOutside(image: Edges, { x, y, width, height }: CanvasArea): boolean {
  return x + width <= 0 || y + height <= 0 || x >= image.width || y >= image.height;
}

/** Throws `input` if the canvas is larger than an image may be, or if it shows no part of the image. */
export function checkCanvas(
  { field, canvas, ...source }: PlannedSource,
  { max_pixels, max_edge }: CanvasLimits,
  image = source.kind === 'described' ? source.upright : undefined,
): void {
  if (canvas === undefined) return;
  if (canvas.width * canvas.height > max_pixels) {
    const limit = { limit: 'images.max_pixels', max_pixels };
    throw badInput(`${field}.canvas`, field, 'too_many_pixels', limit);
  }
  if (Math.max(canvas.width, canvas.height) > max_edge) {
    const limit = { limit: 'images.max_edge', max_edge };
    throw badInput(`${field}.canvas`, field, 'edge_too_long', limit);
  }
  if (image && isOutside(image, canvas)) {
    throw badInput(`${field}.canvas`, field, 'canvas_outside_image');
  }
}

/**
 * Crops or extends a verified image to the canvas of its source. Kept pixels are exact. Throws `input` if the canvas is too large or
 * shows no part of the image.
 */
export async function placeOnCanvas(
  source: PlannedSource,
  image: VerifiedImage,
  {
    tools,
    limits,
    signal,
  }: {
    readonly tools: Pick<
      ImageTools,
      'cropOrExtend' | 'drawAreaMask' | 'inspect' | 'readSourceType' | 'withChecksum' | 'writeXmp'
    >;
    readonly limits: CanvasLimits;
    readonly signal: AbortSignal;
  },
): Promise<PlacedInput> {
  const { field, canvas } = source;
  if (canvas === undefined) return { image };
  const upright = uprightEdges(image);
  checkCanvas(source, limits, upright);
  const withSourceType = async (copy: VerifiedImage): Promise<VerifiedImage> => {
    const sourceType = await tools.readSourceType(image, signal);
    if (sourceType === undefined) return copy;
    const marked = await tools.writeXmp(inParts(copy), { sourceType }, signal);
    if (typeof marked === 'string') return copy;
    const { bytes, ...facts } = await tools.withChecksum(marked, signal);
    return { ...facts, bytes: bytes.toBuffer() };
  };
  const verified = async (bytes: Promise<Buffer>): Promise<VerifiedImage> => {
    const inspection = await tools.inspect(await bytes, signal);
    if (inspection.ok) return inspection.image;
    throw badInput(`${field}.canvas`, field, inspection.fault);
  };
  const placed = await withSourceType(await verified(tools.cropOrExtend(image, canvas, signal)));
  if (!isBeyond(upright, canvas)) return { image: placed };
  return { image: placed, mask: await verified(tools.drawAreaMask(upright, canvas, signal)) };
}
