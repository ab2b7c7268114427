import type { Offer, Offers, PublishedPrice } from '../../catalogue/catalogue-page.ts';
import { type MappedEndpoints, toTaskModel } from '../schema-model.ts';
import type { TaskModel } from '../task-service.ts';
import type { EndpointFacts } from './endpoint-facts.ts';

/** Returns the names under which a service may edit with a model (fal's naming of endpoints). */
export function editNames(model: string): readonly string[] {
  const suffix = '/text-to-image';
  const replaced = model.endsWith(suffix) ? [`${model.slice(0, -suffix.length)}/edit`] : [];
  return [`${model}/edit`, `${model}/image-to-image`, ...replaced];
}

/** Returns the separate endpoint with which a service edits for a model, or undefined if there is none. */
function editEndpoint(
  model: string,
  endpoints: ReadonlyMap<string, EndpointFacts>,
): string | undefined {
  return editNames(model).find((name) => endpoints.get(name)?.mapping.images);
}

/**
 * Returns a model of the catalogue, or undefined if the catalogue does not list the model. A version of a model, such as
 * `owner/name:version`, has the inputs of the model.
 */
export function endpointModel(
  model: string,
  endpoints: ReadonlyMap<string, EndpointFacts>,
  limits: { readonly maxTotalBytes: number },
): TaskModel | undefined {
  const own = endpoints.get(model)?.mapping ?? endpoints.get(model.split(':')[0] ?? '')?.mapping;
  if (!own) return undefined;
  const editName = own.images ? undefined : editEndpoint(model, endpoints);
  const other = editName === undefined ? undefined : endpoints.get(editName)?.mapping;
  const edit: MappedEndpoints['edit'] = own.images
    ? { mapping: own }
    : other && editName !== undefined
      ? { mapping: other, name: editName }
      : undefined;
  const needsImages = (own.images?.min ?? 0) > 0;
  return toTaskModel(
    { ...(needsImages ? {} : { generate: own }), ...(edit ? { edit } : {}) },
    limits,
  );
}

/** Returns the offer of a model whose calls with images may go to an endpoint with a different price. */
export function endpointOffers(
  model: string,
  endpoints: ReadonlyMap<string, EndpointFacts>,
  offers: Offers,
): readonly Offer[] {
  const pricesOf = (name: string) => offers.get(name)?.flatMap(({ prices }) => prices) ?? [];
  const as = (operation: 'generate' | 'edit') => (price: PublishedPrice) => ({
    ...price,
    operation,
  });
  const editName = endpoints.get(model)?.mapping.images ? model : editEndpoint(model, endpoints);
  const prices = [
    ...pricesOf(model).map(as('generate')),
    ...(editName === undefined ? [] : pricesOf(editName).map(as('edit'))),
  ];
  return prices.length > 0 ? [{ upstreams: [], prices }] : [];
}

/** Returns the names of all models. An endpoint with which another model edits is not listed as a separate model. */
export function allModels(endpoints: ReadonlyMap<string, EndpointFacts>): readonly string[] {
  const names = [...endpoints.keys()];
  const partners = new Set(names.flatMap((name) => editEndpoint(name, endpoints) ?? []));
  return names.filter((name) => !partners.has(name));
}
