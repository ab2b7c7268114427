import * as v from 'valibot';
import { CapabilityDocument } from '../../contract/resources/provider.ts';
import { type Catalogue, createCatalogue } from '../catalogue/catalogue.ts';
import type { Offer } from '../catalogue/catalogue-page.ts';
import { createListedModels } from '../catalogue/listed-models.ts';
import type { NamedProviderParts } from '../provider-parts.ts';
import { capabilitiesOf } from './capabilities.ts';
import {
  makesImages,
  OpenrouterDescriptor,
  openrouterCapabilities,
} from './dialects/openrouter-models.ts';

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
    offersOf: (model, _, offers) => offersAt(offers.get(model), settings.upstreams),
    toModel(model, descriptors: ReadonlyMap<string, OpenrouterDescriptor>, offers) {
      const listed = descriptors.get(model);
      if (!listed) return { document: capabilitiesOf(provider, model, settings) };
      const descriptor = descriptorAt(offers.get(model), settings.upstreams) ?? listed;
      if (!makesImages(descriptor)) return undefined;
      const profile = settings.model_profiles[model];
      const document = openrouterCapabilities(descriptor, { ...settings, provider, model });
      const own = typeof profile === 'object' ? profile : {};
      return { document: v.parse(CapabilityDocument, { ...document, ...own }) };
    },
  });
}

/** Returns the offers of the upstreams that calls are limited to. Returns all offers if none of them is known. */
function offersAt(
  offers: readonly Offer[] | undefined = [],
  upstreams: readonly string[],
): readonly Offer[] {
  const own = offers.filter((offer) => offer.upstreams.some((name) => upstreams.includes(name)));
  return own.length > 0 ? own : offers;
}

/**
 * Returns the descriptor of the upstream that calls are limited to. Returns undefined unless there is exactly one, because the
 * descriptor of a model describes all its upstreams together.
 */
function descriptorAt(
  offers: readonly Offer[] | undefined,
  upstreams: readonly string[],
): OpenrouterDescriptor | undefined {
  const [only, ...others] = offersAt(offers, upstreams);
  if (!only || others.length > 0) return undefined;
  const parsed = v.safeParse(OpenrouterDescriptor, only.facts);
  return parsed.success ? parsed.output : undefined;
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
    listed: settings.catalogue === 'all' ? undefined : settings.models,
    facts: OpenrouterDescriptor,
  });
}
