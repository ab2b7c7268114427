import type { Capabilities } from '../../api/schemas.ts';

/** The support for a capability: native, emulated by the bridge, or unsupported. */
export type Support = Capabilities['transparent_background'];

export interface ModelRow {
  /** The number of sizes, or the longest edge if any size is supported. */
  readonly sizes: { readonly count: number } | { readonly maxEdge: number | undefined };
  readonly alpha: Support;
  readonly mask: Support;
  readonly negativePrompt: Support;
  /** The maximum number of input images. 0 if the model accepts none. */
  readonly images: number;
  /** The maximum number of previews of one image. 0 if the model sends none. */
  readonly partialImages: number;
  readonly formats: readonly string[];
  readonly fidelities: readonly string[];
}

/** Returns the fields of a capability document that the table shows. */
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
