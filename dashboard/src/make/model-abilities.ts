import { computed, type ReadonlySignal } from '@preact/signals';
import type { Capabilities, PresetTemplate, Provider } from '../api/schemas.ts';
import type { Providers } from '../providers/providers.ts';
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

export interface ChosenModel {
  readonly provider: Provider;
  readonly model: string;
  /** `undefined` until the document is known. */
  readonly capabilities: Capabilities | undefined;
}

/**
 * Where a draft will go, as the bridge routes it (contract.md 1, routing): what it names, else the default provider; a
 * model without a provider that the default one does not list, to the first that lists it.
 */
export function toChosenModel(
  settings: ReadonlySignal<PresetTemplate>,
  providers: Providers,
): ReadonlySignal<ChosenModel | undefined> {
  return computed(() => {
    const list = providers.list.value;
    const { provider: name, model: asked } = settings.value.routing ?? {};
    const main = list?.find((each) => each.default) ?? list?.[0];
    const provider =
      list?.find((each) => each.name === name) ??
      (asked && !main?.models.includes(asked)
        ? list?.find(({ models }) => models.includes(asked))
        : main) ??
      main;
    if (provider === undefined) return undefined;
    const model = asked ?? provider.default_model;
    return {
      provider,
      model,
      capabilities: providers.capabilities(provider.name, model).value,
    };
  });
}
