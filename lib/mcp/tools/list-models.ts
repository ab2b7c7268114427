import * as v from 'valibot';
import type { CapabilityDocument, ProviderDescriptor } from '../../contract/resources/provider.ts';
import { textResult, tool } from '../tool.ts';

export const listModels = tool({
  name: 'list_models',
  title: 'List models',
  description:
    'Lists the image models by provider, with their capabilities: sizes, edits, masks, transparent backgrounds. Example: {}',
  input: v.strictObject({}),
  isReadOnly: true,
  async run(_input, { api, signal }) {
    const { items } = await api.json<{ readonly items: readonly ProviderDescriptor[] }>(
      'GET /v1/providers',
      { query: { limit: 100 }, signal },
    );
    const lines = await Promise.all(
      items.map(async (provider) => {
        const { name, models } = provider;
        const read = (model: string) =>
          api.json<CapabilityDocument>('GET /v1/providers/{name}/capabilities', {
            path: { name },
            query: { model },
            signal,
          });
        return linesOf(provider, await Promise.all(models.map(read)));
      }),
    );
    return textResult(...lines.flat());
  },
});

/** Returns one line for each group of models with the same capabilities. */
function linesOf(
  { name, default: isDefault, default_model }: ProviderDescriptor,
  documents: readonly CapabilityDocument[],
): readonly string[] {
  const groups = Map.groupBy(documents, toAbilities);
  return [...groups].map(([abilities, group]) => {
    const models = group.map(({ model }) =>
      isDefault && model === default_model ? `${model} (the default)` : model,
    );
    return `Provider ${name}, models ${models.join(', ')}: ${abilities}.`;
  });
}

function toAbilities(document: CapabilityDocument): string {
  const { sizes, edits, masks, transparent_background: alpha } = document;
  const parts = [
    sizes.arbitrary
      ? `any size up to ${sizes.max_edge ?? 16_384}`
      : `sizes ${sizes.allowed.join(' ')}`,
    edits ? 'edits' : 'no edits',
    masks.support === 'unsupported' ? 'no masks' : 'masks',
    alpha === 'unsupported' ? 'no transparency' : 'transparency',
  ];
  return parts.join('; ');
}
