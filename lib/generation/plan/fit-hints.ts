import { parseAspectRatio, RESOLUTIONS } from '../../contract/request/parameters.ts';
import { ratioGap } from './nearest-size.ts';
import { type Negotiation, normalize } from './negotiation.ts';

/** Fits native hints to the values that the model takes, where it does not take all. */
export function fitHints(negotiation: Negotiation): void {
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

/** The listed ratio of the nearest shape. A ratio that equals a listed one in other terms is taken as it is. */
function nearestRatio(ratio: string, listed: readonly string[]): string | undefined {
  const asked = parseAspectRatio(ratio);
  const [best] = listed
    .flatMap((name) => {
      const edges = parseAspectRatio(name);
      return edges && asked ? [{ name, gap: ratioGap(edges, asked) }] : [];
    })
    .sort((a, b) => a.gap - b.gap);
  return best?.gap === 0 ? ratio : best?.name;
}
