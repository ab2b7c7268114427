import { computed, type ReadonlySignal } from '@preact/signals';
import type { Capabilities, PresetTemplate, Provider } from '../api/schemas.ts';
import type { Providers } from '../providers/providers.ts';
import { text } from '../text/text.ts';

const MASKS = {
  native: 'make.can.masks',
  emulated: 'make.can.masksHere',
  unsupported: 'make.can.noMask',
} as const;

/** Describes the capabilities of a model in one line, for example "7 sizes, 5 input images, no mask". */
export function toAbilities(document: Capabilities): string {
  const { sizes, masks, transparent_background: alpha } = document;
  const most = mostImages(document);
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

/** Returns the maximum number of input images, or 0 if the model accepts no input images. */
export function mostImages({
  edit_images,
  reference_images,
}: Pick<Capabilities, 'edit_images' | 'reference_images'>): number {
  const counts = [edit_images, reference_images].map(({ support, max_count }) =>
    support === 'unsupported' ? 0 : max_count,
  );
  return Math.max(...counts);
}

/** Returns true if a request may have reference images of these sizes in bytes. */
export function takesReferences(
  { reference_images: limits }: Pick<Capabilities, 'reference_images'>,
  sizes: readonly number[],
): boolean {
  return (
    limits.support !== 'unsupported' &&
    sizes.length <= limits.max_count &&
    sizes.every((size) => size <= limits.max_bytes_each) &&
    sizes.reduce((sum, size) => sum + size, 0) <= limits.max_bytes_total
  );
}

/** Returns true for the sandbox, which generates test images on this machine without a real model. */
export function isRehearsal(provider: string): boolean {
  return provider === 'sandbox';
}

/** Returns true for models of the sandbox that fail, or are slow, on purpose. */
export function isRehearsedFailure(model: string): boolean {
  return /^sandbox-(fail-|flaky$|slow$|hang$)/.test(model);
}

export interface ChosenModel {
  readonly provider: Provider;
  readonly model: string;
  /** Undefined until the capability document has been read. */
  readonly capabilities: Capabilities | undefined;
}

/** Returns the provider and the model for a draft. */
export function toChosenModel(
  settings: ReadonlySignal<PresetTemplate>,
  providers: Providers,
): ReadonlySignal<ChosenModel | undefined> {
  return computed(() => chooseModel(settings.value, providers));
}

/**
 * Returns the provider and the model of a request, according to the routing rules of the bridge: the named provider,
 * otherwise the default provider if it lists the model, otherwise the first provider that lists the model.
 */
export function chooseModel(
  { routing }: Pick<PresetTemplate, 'routing'>,
  providers: Providers,
): ChosenModel | undefined {
  const list = providers.list.value;
  const { provider: name, model: asked } = routing ?? {};
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
}

type Mode = 'isolated' | 'persistent' | 'thread';

export function sessionModes(document: Capabilities | undefined): readonly Mode[] {
  return [
    'isolated',
    ...(document?.persistent_sessions ? (['persistent'] as const) : []),
    ...(document?.explicit_threads ? (['thread'] as const) : []),
  ];
}
