import type { Warning } from '../../contract/reply/image-response.ts';
import { MAX_FORMAT_EDGE, type Parameters, parseSize } from '../../contract/request/parameters.ts';
import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import type { Canvas, Edges } from '../../images/image.ts';
import { badInput } from '../../inputs/bad-input.ts';
import { isSupported, listedSizes, pixels } from './nearest-size.ts';
import { type MaskPlan, type Negotiation, normalize, note, refuse } from './negotiation.ts';

const KEEPS_SIZE = { reason: 'mask_keeps_size' } as const;

/** Returns true if the model treats a mask only as a hint, so that the bridge has to restore the pixels outside the mask. */
export function isMaskEmulated({ inputs, capabilities }: Negotiation): boolean {
  return inputs.mask !== undefined && capabilities.masks.support === 'emulated';
}

/** Plans an emulated mask. The result has the size of the first image, regardless of the size that the model generates. */
export function planMask(negotiation: Negotiation): MaskPlan {
  const { inputs, capabilities, maskForm: form } = negotiation;
  note(negotiation, 'mask', 'native', 'composite', 'provider_mask_emulated_with_local_composite');
  const image = inputs.images[0]?.upright;
  keepSize(negotiation, image);
  const canvas = image && maskCanvas(capabilities.sizes, image);
  if (image && !canvas) refuse(negotiation, 'images');
  const size = canvas && hasSizes(capabilities.sizes) ? toSize(canvas) : 'auto';
  return { canvas, size, form, maxBytes: capabilities.edit_images.max_bytes_each };
}

/** Throws `input` if an emulated mask allows no change, because the caller would pay for an image that equals the source. */
export function refuseClosedMask({ inputs }: Negotiation): void {
  if (inputs.mask?.alpha === 'opaque') throw badInput('mask', 'mask', 'nothing_may_change');
}

/**
 * Changes a requested size to the size of the image and drops `aspect_ratio` and `resolution`. In `strict` mode, refuses the
 * request instead.
 */
function keepSize(negotiation: Negotiation, image: Edges | undefined): void {
  const { effective } = negotiation;
  for (const hint of ['aspect_ratio', 'resolution'] as const) {
    if (effective[hint] !== null) {
      normalize(negotiation, hint, null, 'provider_does_not_support_hint', KEEPS_SIZE);
    }
  }
  if (!image) return;
  const asked = parseSize(effective.size);
  if (asked && toSize(asked) !== toSize(image)) {
    normalize(negotiation, 'size', toSize(image), 'normalized_to_provider_size', KEEPS_SIZE);
  }
  if (Math.max(image.width, image.height) > MAX_FORMAT_EDGE[effective.output_format]) {
    refuse(negotiation, 'parameters.output_format');
  }
}

function toSize({ width, height }: Edges): string {
  return `${width}x${height}`;
}

/** Returns true if a format stores samples without loss. */
export function isExact({
  output_format,
  output_compression,
}: Pick<Parameters, 'output_format' | 'output_compression'>): boolean {
  return output_format === 'png' || (output_format === 'webp' && output_compression === null);
}

export function maskWarnings({ form }: MaskPlan, effective: Parameters): readonly Warning[] {
  return [
    ...(form === undefined ? (['mask_not_native'] as const) : []),
    ...(isExact(effective) ? [] : (['mask_exact_before_encoding'] as const)),
  ];
}

type Sizes = CapabilityDocument['sizes'];

/** A size that the model supports, and the dimensions of the image on that canvas. */
interface Fit {
  readonly canvas: Edges;
  readonly image: Edges;
}

/**
 * Returns the smallest supported canvas that holds the image, with the image in the centre. The image is scaled down only if no
 * supported size holds it. If the model declares no sizes, the canvas has the size of the image. Returns undefined if no size of
 * the model can hold the image.
 */
export function maskCanvas(sizes: Sizes, image: Edges): Canvas | undefined {
  if (!hasSizes(sizes)) return centred({ canvas: image, image });
  const listed = listedSizes(sizes).map(({ edges }) => scaledInto(edges, image));
  const free = freeFit(sizes, image);
  const [best] = [...listed, ...(free ? [free] : [])].sort(
    (a, b) => pixels(b.image) - pixels(a.image) || pixels(a.canvas) - pixels(b.canvas),
  );
  return best && centred(best);
}

/** Returns true if a call can request the size of the canvas. Returns false if the model chooses the size. */
function hasSizes({ arbitrary, allowed }: Sizes): boolean {
  return arbitrary || allowed.length > 0;
}

function centred({ canvas, image }: Fit): Canvas {
  const left = Math.floor((canvas.width - image.width) / 2);
  const top = Math.floor((canvas.height - image.height) / 2);
  return { ...canvas, area: { left, top, ...image } };
}

function scaledInto(canvas: Edges, image: Edges): Fit {
  const scale = Math.min(1, canvas.width / image.width, canvas.height / image.height);
  return { canvas, image: scaled(image, scale) };
}

/** Scales both edges. Each result is at least one pixel. */
function scaled({ width, height }: Edges, scale: number): Edges {
  return {
    width: Math.max(1, Math.floor(width * scale)),
    height: Math.max(1, Math.floor(height * scale)),
  };
}

/**
 * Finds, by bisection, the largest scale at which a supported size holds the image. Returns undefined if the model does not
 * support arbitrary sizes.
 */
function freeFit(sizes: Sizes, image: Edges): Fit | undefined {
  if (!sizes.arbitrary) return undefined;
  const longest = Math.max(image.width, image.height);
  let best: Fit | undefined;
  for (let low = 1, high = longest, edge = longest; low <= high; edge = (low + high) >> 1) {
    const smaller = edge === longest ? image : scaled(image, edge / longest);
    const canvas = smallestHolding(sizes, smaller);
    if (canvas) {
      best = { canvas, image: smaller };
      low = edge + 1;
    } else {
      high = edge - 1;
    }
  }
  return best;
}

/** Returns the smallest size in the range that holds the image. Returns undefined if no size holds the image. */
function smallestHolding(sizes: Sizes, image: Edges): Edges | undefined {
  const { min_edge = 1, edge_multiple = 1, min_pixels = 1, max_aspect_ratio = Infinity } = sizes;
  const up = (edge: number) => Math.ceil(Math.max(edge, min_edge) / edge_multiple) * edge_multiple;
  const shortest = Math.max(image.width, image.height) / max_aspect_ratio;
  const shaped = {
    width: Math.max(image.width, shortest),
    height: Math.max(image.height, shortest),
  };
  const growth = Math.max(1, Math.sqrt(min_pixels / pixels(shaped)));
  const width = up(shaped.width * growth);
  const height = up(shaped.height * growth);
  return isSupported(sizes, `${width}x${height}`) ? { width, height } : undefined;
}
