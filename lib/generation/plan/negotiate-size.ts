import {
  MAX_FORMAT_EDGE,
  parseAspectRatio,
  parseSize,
  RESOLUTIONS,
} from '../../contract/request/parameters.ts';
import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import type { Edges } from '../../images/image.ts';
import {
  emulatedSize,
  isSupported,
  nearestListed,
  nearestResolution,
  nearestSize,
  ratioGap,
} from './nearest-size.ts';
import { type Negotiation, normalize, record, refuse } from './negotiation.ts';

type Hint = 'aspect_ratio' | 'resolution';

const DEFAULT_EDGES = { width: 1024, height: 1024 } as const;

/** Fits the size, the aspect ratio and the resolution to the sizes that the model supports. */
export function negotiateSize(negotiation: Negotiation): void {
  const { effective, capabilities } = negotiation;
  const asked = parseSize(effective.size);
  if (asked) {
    const sizes = withinFormat(negotiation);
    if (!isSupported(sizes, effective.size)) fitSize(negotiation, sizes, asked);
    return;
  }
  negotiateHints(negotiation);
  capMaskedEdit(negotiation);
  if (effective.size === 'auto' && !capabilities.sizes.auto) {
    // Any size meets a request for `auto`. Therefore `strict` allows this change too.
    const nearest = nearestListed(capabilities.sizes, DEFAULT_EDGES);
    if (nearest) record(negotiation, 'size', nearest, 'normalized_to_provider_default');
  }
}

/**
 * Names the size of a masked edit whose first image is larger than the model can draw. Without this change, the result would be
 * smaller than its source without any notice.
 */
function capMaskedEdit(negotiation: Negotiation): void {
  const { effective, inputs } = negotiation;
  const source = inputs.mask && inputs.images[0]?.upright;
  const isFree = effective.aspect_ratio === null && effective.resolution === null;
  if (source === undefined || effective.size !== 'auto' || !isFree) return;
  const sizes = withinFormat(negotiation);
  if (!sizes.arbitrary || Math.max(source.width, source.height) <= (sizes.max_edge ?? Infinity))
    return;
  const nearest = nearestSize(sizes, source);
  if (nearest) record(negotiation, 'size', nearest, 'normalized_to_provider_size');
}

/** Limits the sizes of the model to the sizes that the output format can encode. */
function withinFormat({ effective, capabilities }: Negotiation): CapabilityDocument['sizes'] {
  const { sizes } = capabilities;
  const longest = MAX_FORMAT_EDGE[effective.output_format];
  return { ...sizes, max_edge: Math.min(sizes.max_edge ?? longest, longest) };
}

/**
 * Changes an unsupported size to the nearest supported size, or to the nearest aspect ratio of a model that has only aspect
 * ratios, or to `auto` if the model supports nothing else.
 */
function fitSize(negotiation: Negotiation, sizes: CapabilityDocument['sizes'], asked: Edges): void {
  const nearest = nearestSize(sizes, asked);
  if (nearest) normalize(negotiation, 'size', nearest, 'normalized_to_provider_size');
  else if (hasOnlyRatios(negotiation)) fitRatio(negotiation, asked);
  else if (sizes.auto) normalize(negotiation, 'size', 'auto', 'normalized_to_provider_default');
  else refuse(negotiation, 'parameters.size');
}

function hasOnlyRatios({ capabilities, effective }: Negotiation): boolean {
  const { sizes, aspect_ratio, aspect_ratios = [] } = capabilities;
  const isFree = effective.aspect_ratio === null && effective.resolution === null;
  return sizes.auto && isFree && aspect_ratio === 'native' && aspect_ratios.length > 0;
}

/** Replaces a size with the nearest aspect ratio and, if the model has resolutions, with the nearest resolution. */
function fitRatio(negotiation: Negotiation, asked: Edges): void {
  const { aspect_ratios: ratios = [], resolutions = [] } = negotiation.capabilities;
  const reason = 'normalized_to_provider_size';
  normalize(negotiation, 'size', 'auto', reason);
  // Under `strict`, the size has been rejected.
  if (negotiation.effective.size !== 'auto') return;
  const ratio = nearestListedRatio(asked, ratios);
  if (ratio) record(negotiation, 'aspect_ratio', ratio.name, reason);
  const resolution = nearestResolution(asked, resolutions);
  if (resolution) record(negotiation, 'resolution', resolution, reason);
}

/**
 * Fits an aspect ratio or a resolution that was sent without a size: keeps a native hint, converts an emulated hint to a listed
 * size, and drops an unsupported hint.
 */
function negotiateHints(negotiation: Negotiation): void {
  const { effective, capabilities } = negotiation;
  const hints = (['aspect_ratio', 'resolution'] as const).filter((it) => effective[it] !== null);
  const taken = hints.filter((hint) => isTaken(negotiation, hint));
  for (const hint of hints) {
    if (!taken.includes(hint)) {
      normalize(negotiation, hint, null, 'provider_does_not_support_hint');
    }
  }
  if (taken.every((hint) => capabilities[hint] === 'native')) {
    fitHints(negotiation);
    return;
  }
  const found = emulatedSize(capabilities.sizes, effective.aspect_ratio, effective.resolution);
  if (!found) return;
  if (!found.hasRatio && negotiation.mode === 'strict') {
    refuse(negotiation, 'parameters.aspect_ratio');
    return;
  }
  // `strict` allows the change too, because the bridge emulates the hint. Each field gets its own normalization.
  const reason = 'normalized_to_provider_size';
  record(negotiation, 'size', found.size, reason);
  for (const hint of taken) record(negotiation, hint, null, reason);
}

function isTaken({ capabilities }: Negotiation, hint: Hint): boolean {
  if (capabilities[hint] === 'emulated') return capabilities.sizes.allowed.length > 0;
  return capabilities[hint] === 'native';
}

/** Fits native hints to the values that the model accepts. */
function fitHints(negotiation: Negotiation): void {
  const { effective, capabilities } = negotiation;
  const { aspect_ratio: ratio, resolution } = effective;
  const { aspect_ratios: ratios, resolutions } = capabilities;
  if (ratio !== null && ratios) {
    const nearest = nearestRatio(ratio, ratios);
    if (nearest && nearest !== ratio) {
      normalize(negotiation, 'aspect_ratio', nearest, 'normalized_to_provider_size');
    }
  }
  if (resolution !== null && resolutions && !resolutions.includes(resolution)) {
    const taken = RESOLUTIONS.filter((one) => resolutions.includes(one));
    const below = RESOLUTIONS.slice(0, RESOLUTIONS.indexOf(resolution));
    const nearest = taken.findLast((one) => below.includes(one)) ?? taken[0] ?? null;
    normalize(negotiation, 'resolution', nearest, 'clamped_to_provider_range');
  }
}

/**
 * Returns the nearest listed ratio. Returns `ratio` unchanged if a listed ratio has the same value, as 8:4 equals 2:1. Returns
 * undefined if no ratio is listed.
 */
function nearestRatio(ratio: string, listed: readonly string[]): string | undefined {
  const asked = parseAspectRatio(ratio);
  const best = asked && nearestListedRatio(asked, listed);
  return best?.gap === 0 ? ratio : best?.name;
}

function nearestListedRatio(asked: Edges, listed: readonly string[]) {
  const [best] = listed
    .flatMap((name) => {
      const edges = parseAspectRatio(name);
      return edges ? [{ name, gap: ratioGap(edges, asked) }] : [];
    })
    .sort((a, b) => a.gap - b.gap);
  return best;
}
