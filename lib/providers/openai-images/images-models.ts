import * as v from 'valibot';
import { CapabilityDocument } from '../../contract/resources/provider.ts';
import { type Catalogue, createCatalogue } from '../catalogue/catalogue.ts';
import { createListedModels } from '../catalogue/listed-models.ts';
import type { NamedProviderParts } from '../provider-parts.ts';
import { capabilitiesOf } from './capabilities.ts';
import { OpenrouterDescriptor, openrouterCapabilities } from './dialects/openrouter-models.ts';

type Parts = NamedProviderParts<'openai_images'>;

/**
 * Creates the models of one account. The catalogue of the service describes a model if it lists the model. Otherwise the
 * family of the model does. A model's profile in the settings overrides both.
 */
export function createImagesModels(parts: Parts) {
  const { name: provider, settings } = parts;
  return createListedModels({
    catalogue: openCatalogue(parts),
    settings,
    namesOf: (descriptors) => [...descriptors.keys()],
    toModel(model, descriptors: ReadonlyMap<string, OpenrouterDescriptor>) {
      const descriptor = descriptors.get(model);
      if (!descriptor) return { document: capabilitiesOf(provider, model, settings) };
      const profile = settings.model_profiles[model];
      const document = openrouterCapabilities(descriptor, { ...settings, provider, model });
      const own = typeof profile === 'object' ? profile : {};
      return { document: v.parse(CapabilityDocument, { ...document, ...own }) };
    },
  });
}

/** Opens the catalogue of OpenRouter, which needs no key. */
function openCatalogue({
  name,
  settings,
  ...parts
}: Parts): Catalogue<OpenrouterDescriptor> | undefined {
  if (settings.dialect !== 'openrouter' || settings.catalogue === 'off') return undefined;
  return createCatalogue({
    ...parts,
    kind: 'openrouter',
    provider: name,
    address: settings.base_url.replace(/\/+$/, ''),
    paths: ['/images/models'],
    headers: async () => ({ accept: 'application/json' }),
    hours: settings.catalogue_hours,
    constants: {},
    facts: OpenrouterDescriptor,
  });
}
