import { type Catalogue, createCatalogue } from '../catalogue/catalogue.ts';
import { createListedModels } from '../catalogue/listed-models.ts';
import { readHeaders } from '../credentials/api-key.ts';
import type { NamedProviderParts } from '../provider-parts.ts';
import { capabilitiesOf, modelOf } from './capabilities.ts';
import { EndpointFacts } from './catalogue/endpoint-facts.ts';
import { allModels, endpointModel, endpointOffers } from './catalogue/endpoint-models.ts';
import type { TaskService } from './task-service.ts';

type Parts = NamedProviderParts<'task'>;

/**
 * Creates the models of one account. The catalogue of the service describes a model if it lists the model. Otherwise the
 * shipped data of the service describe the model.
 */
export function createTaskModels(parts: Parts, service: TaskService, baseUrl: string) {
  const { name: provider, settings } = parts;
  const { source } = service;
  return createListedModels({
    catalogue: openCatalogue(parts, service, baseUrl),
    settings,
    namesOf: allModels,
    offersOf: endpointOffers,
    toModel(name, endpoints: ReadonlyMap<string, EndpointFacts>) {
      const listed = source && endpointModel(name, endpoints, source);
      const model = listed ?? modelOf(service, name, settings);
      if (!model) return undefined;
      return { model, document: capabilitiesOf(provider, name, { model, service }, settings) };
    },
  });
}

/** Opens the catalogue of a service that has one, unless the settings turn it off. */
function openCatalogue(
  { name, settings, apiKey, ...parts }: Parts,
  { source, baseUrl: standard, keyHeaders }: TaskService,
  baseUrl: string,
): Catalogue<EndpointFacts> | undefined {
  if (!source || settings.catalogue === 'off') return undefined;
  const listed = settings.catalogue === 'all' ? undefined : settings.models;
  return createCatalogue({
    ...parts,
    kind: source.kind,
    provider: name,
    // A proxy or an emulator at another address also answers for the host of the catalogue.
    address: baseUrl === standard ? source.address : baseUrl,
    paths: source.paths(listed),
    listed,
    headers: () => readHeaders(apiKey, keyHeaders),
    hours: settings.catalogue_hours,
    constants: settings.constants,
    facts: EndpointFacts,
  });
}
