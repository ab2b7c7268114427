import type { Capabilities } from '../api/schemas.ts';
import { text } from '../text/text.ts';

const MASKS = {
  native: 'make.can.masks',
  emulated: 'make.can.masksHere',
  unsupported: 'make.can.noMask',
} as const;

/** What a model can do, in one line: 7 sizes, 5 input images, no mask. */
export function toAbilities(document: Capabilities): string {
  const { sizes, edit_images: images, masks, transparent_background: alpha } = document;
  const most = Math.max(images.max_count, document.reference_images.max_count);
  const parts = [
    sizes.arbitrary
      ? text('make.can.anySize', { edge: String(sizes.max_edge ?? 16_384) })
      : text('make.can.sizes', { count: sizes.allowed.length }),
    most > 0 ? text('make.can.images', { count: most }) : text('make.can.noImages'),
    alpha === 'native' && text('make.can.alpha'),
    alpha === 'emulated' && text('make.can.alphaHere'),
    text(MASKS[masks.support]),
  ];
  return parts.filter(Boolean).join(text('list.separator'));
}

/** The sandbox generates on this machine: what it makes rehearses a real model. */
export function isRehearsal(provider: string): boolean {
  return provider === 'sandbox';
}

/** Models of the sandbox that fail, or take their time, on purpose. */
export function isRehearsedFailure(model: string): boolean {
  return /^sandbox-(fail-|flaky$|slow$|hang$)/.test(model);
}
