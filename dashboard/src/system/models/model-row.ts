import type { Capabilities } from '../../api/schemas.ts';

/** Whether a model has a capability: native, emulated by the bridge, or not. */
export type Support = Capabilities['transparent_background'];

export interface ModelRow {
  /** The number of sizes, or the longest edge where every size is possible. */
  readonly sizes: { readonly count: number } | { readonly maxEdge: number | undefined };
  readonly alpha: Support;
  readonly mask: Support;
  readonly negativePrompt: Support;
  /** How many images it takes, 0 for none. */
  readonly images: number;
  /** How many unfinished images it shows of one, 0 for none. */
  readonly partialImages: number;
  readonly formats: readonly string[];
  readonly fidelities: readonly string[];
}

/** What is shown of a capability document. */
export function toModelRow(document: Capabilities): ModelRow {
  const { sizes, edit_images, reference_images } = document;
  return {
    sizes: sizes.arbitrary ? { maxEdge: sizes.max_edge } : { count: sizes.allowed.length },
    alpha: document.transparent_background,
    mask: document.masks.support,
    negativePrompt: document.negative_prompt,
    images: Math.max(toCount(edit_images), toCount(reference_images)),
    partialImages: document.partial_images.max,
    formats: document.output_formats,
    fidelities: document.input_fidelities,
  };
}

function toCount({ support, max_count }: Capabilities['edit_images']): number {
  return support === 'unsupported' ? 0 : max_count;
}
