import { MAX_FORMAT_EDGE, parseSize } from '../../contract/request/parameters.ts';
import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { emulatedSize } from './emulated-size.ts';
import { fitHints } from './fit-hints.ts';
import { isSupported, nearestListed, nearestSize } from './nearest-size.ts';
import { type Negotiation, normalize, record, refuse } from './negotiation.ts';

type Hint = 'aspect_ratio' | 'resolution';

const DEFAULT_EDGES = { width: 1024, height: 1024 } as const;

/** Fits size, aspect ratio and resolution to the sizes that the model supports. */
export function negotiateSize(negotiation: Negotiation): void {
  const { effective, capabilities } = negotiation;
  const asked = parseSize(effective.size);
  if (asked) {
    const sizes = withinFormat(negotiation);
    if (!isSupported(sizes, effective.size)) fitSize(negotiation, sizes, asked);
    return;
  }
  negotiateHints(negotiation);
  if (effective.size === 'auto' && !capabilities.sizes.auto) {
    // A size that is left to the model is honoured by any size, under `strict` too.
    const nearest = nearestListed(capabilities.sizes, DEFAULT_EDGES);
    if (nearest) record(negotiation, 'size', nearest, 'normalized_to_provider_default');
  }
}

/** The sizes of the model that its output format can hold too. */
function withinFormat({ effective, capabilities }: Negotiation): CapabilityDocument['sizes'] {
  const { sizes } = capabilities;
  const longest = MAX_FORMAT_EDGE[effective.output_format];
  return { ...sizes, max_edge: Math.min(sizes.max_edge ?? longest, longest) };
}

/** A model that lists no size at all chooses one itself; then that is the nearest thing. */
function fitSize(
  negotiation: Negotiation,
  sizes: CapabilityDocument['sizes'],
  asked: { width: number; height: number },
): void {
  const nearest = nearestSize(sizes, asked);
  if (nearest) normalize(negotiation, 'size', nearest, 'normalized_to_provider_size');
  else if (sizes.auto) normalize(negotiation, 'size', 'auto', 'normalized_to_provider_default');
  else refuse(negotiation, 'parameters.size');
}

/** A ratio or a resolution without a size: taken as it is, turned into a listed size, or a hint that is left out. */
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
  // The bridge emulates the hint, so `strict` takes it too; each row says what became of its field.
  const reason = 'normalized_to_provider_size';
  record(negotiation, 'size', found.size, reason);
  for (const hint of taken) record(negotiation, hint, null, reason);
}

function isTaken({ capabilities }: Negotiation, hint: Hint): boolean {
  if (capabilities[hint] === 'emulated') return capabilities.sizes.allowed.length > 0;
  return capabilities[hint] === 'native';
}
