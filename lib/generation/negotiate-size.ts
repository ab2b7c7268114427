import { parseAspectRatio, parseSize } from '../contract/parameters.ts';
import type { CapabilityDocument } from '../contract/provider.ts';
import { type Negotiation, normalize, refuse } from './negotiation.ts';

type Sizes = CapabilityDocument['sizes'];
interface Edges {
  readonly width: number;
  readonly height: number;
}

const RESOLUTION_EDGE = { '1k': 1024, '2k': 2048, '4k': 4096 } as const;

/** Fits size, aspect ratio and resolution to the sizes that the model draws. */
export function negotiateSize(negotiation: Negotiation): void {
  const { effective, capabilities } = negotiation;
  if (effective.size === 'auto') {
    negotiateHints(negotiation);
    if (effective.size === 'auto' && !capabilities.sizes.auto) {
      const nearest = nearestListed(capabilities.sizes, { width: 1024, height: 1024 });
      if (nearest) normalize(negotiation, 'size', nearest, 'normalized_to_provider_default');
    }
    return;
  }
  const asked = parseSize(effective.size);
  if (!asked || isDrawn(capabilities.sizes, effective.size, asked)) return;
  const nearest = nearestSize(capabilities.sizes, asked);
  if (nearest) normalize(negotiation, 'size', nearest, 'normalized_to_provider_size');
  else refuse(negotiation, 'parameters.size');
}

/** A ratio or a resolution without a size: native, emulated by the best listed size, or a hint that is dropped. */
function negotiateHints(negotiation: Negotiation): void {
  const { effective, capabilities } = negotiation;
  const { aspect_ratio: ratio, resolution } = effective;
  const asked = [
    ...(ratio === null ? [] : (['aspect_ratio'] as const)),
    ...(resolution === null ? [] : (['resolution'] as const)),
  ];
  for (const name of asked) {
    if (capabilities[name] === 'unsupported') {
      normalize(negotiation, name, null, 'provider_does_not_support_hint');
    }
  }
  const emulated = asked.filter(
    (name) => effective[name] !== null && capabilities[name] === 'emulated',
  );
  if (emulated.length === 0) return;
  const found = emulateHints(capabilities.sizes, effective.aspect_ratio, effective.resolution);
  if (!found) {
    for (const name of emulated) refuse(negotiation, `parameters.${name}`);
    return;
  }
  for (const name of emulated) {
    // What the bridge emulates exactly is accepted under `strict` too, and recorded in every mode.
    if (!found.exact && negotiation.mode === 'strict') refuse(negotiation, `parameters.${name}`);
    else reportHint(negotiation, name, found.size);
  }
}

function reportHint(
  negotiation: Negotiation,
  name: 'aspect_ratio' | 'resolution',
  size: string,
): void {
  const { effective, normalizations } = negotiation;
  const requested = effective[name];
  effective[name] = null;
  effective.size = size;
  normalizations.push({
    field: `parameters.${name}`,
    requested,
    effective: size,
    reason: 'normalized_to_provider_size',
  });
}

/**
 * The listed size that has exactly the ratio and is nearest in pixels; where none has, the nearest ratio counts first.
 * Pixels are measured against 1024², or the resolution's square; between equals the smaller wins (providers.md).
 */
function emulateHints(
  sizes: Sizes,
  aspectRatio: string | null,
  resolution: keyof typeof RESOLUTION_EDGE | null,
): { readonly size: string; readonly exact: boolean } | undefined {
  const ratio = aspectRatio === null ? undefined : parseAspectRatio(aspectRatio);
  const target = (resolution === null ? 1024 : RESOLUTION_EDGE[resolution]) ** 2;
  const listed = listedSizes(sizes);
  const isExact = ({ edges }: Listed) =>
    !ratio || edges.width * ratio.height === edges.height * ratio.width;
  const exact = listed.filter(isExact);
  const candidates = exact.length > 0 ? exact : listed;
  const [best] = candidates.sort(
    (a, b) =>
      Math.abs(pixels(a.edges) - target) - Math.abs(pixels(b.edges) - target) ||
      pixels(a.edges) - pixels(b.edges),
  );
  return best && { size: best.size, exact: exact.length > 0 };
}

interface Listed {
  readonly size: string;
  readonly edges: Edges;
}

function listedSizes(sizes: Sizes): Listed[] {
  return sizes.allowed.flatMap((size) => {
    const edges = parseSize(size);
    return edges ? [{ size, edges }] : [];
  });
}

function isDrawn(sizes: Sizes, size: string, edges: Edges): boolean {
  if (sizes.allowed.includes(size)) return true;
  if (!sizes.arbitrary) return false;
  const { min_edge = 1, max_edge = Infinity, edge_multiple = 1 } = sizes;
  const { min_pixels = 1, max_pixels = Infinity, max_aspect_ratio = Infinity } = sizes;
  const shorter = Math.min(edges.width, edges.height);
  const longer = Math.max(edges.width, edges.height);
  return (
    shorter >= min_edge &&
    longer <= max_edge &&
    edges.width % edge_multiple === 0 &&
    edges.height % edge_multiple === 0 &&
    pixels(edges) >= min_pixels &&
    pixels(edges) <= max_pixels &&
    longer / shorter <= max_aspect_ratio
  );
}

function nearestSize(sizes: Sizes, asked: Edges): string | undefined {
  const clamped = sizes.arbitrary ? clamp(sizes, asked) : undefined;
  if (clamped && isDrawn(sizes, toText(clamped), clamped)) return toText(clamped);
  return nearestListed(sizes, asked);
}

/** Into the edges' range, the shape kept as far as the range allows. */
function clamp(
  { min_edge = 1, max_edge = Infinity, edge_multiple = 1 }: Sizes,
  asked: Edges,
): Edges {
  const shrink = Math.min(1, max_edge / Math.max(asked.width, asked.height));
  const grow = Math.max(1, min_edge / Math.min(asked.width, asked.height));
  const toRange = (edge: number) => {
    const scaled = edge * (shrink < 1 ? shrink : grow);
    const stepped = Math.round(scaled / edge_multiple) * edge_multiple;
    return Math.min(max_edge, Math.max(min_edge, stepped));
  };
  return { width: toRange(asked.width), height: toRange(asked.height) };
}

/** The listed size of the nearest shape, then of the nearest number of pixels. */
function nearestListed(sizes: Sizes, asked: Edges): string | undefined {
  const shapeGap = ({ edges }: Listed) =>
    Math.abs(Math.log((edges.width / edges.height) * (asked.height / asked.width)));
  const pixelGap = ({ edges }: Listed) => Math.abs(pixels(edges) - pixels(asked));
  const [best] = listedSizes(sizes).sort(
    (a, b) => shapeGap(a) - shapeGap(b) || pixelGap(a) - pixelGap(b),
  );
  return best?.size;
}

function pixels({ width, height }: Edges): number {
  return width * height;
}

function toText({ width, height }: Edges): string {
  return `${width}x${height}`;
}
