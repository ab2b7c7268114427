import { computed, type ReadonlySignal } from '@preact/signals';
import type { Capabilities, PresetTemplate, Provider } from '../api/schemas.ts';
import type { Providers } from '../providers/providers.ts';

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
