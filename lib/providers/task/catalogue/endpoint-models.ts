import { type MappedEndpoints, toTaskModel } from '../schema-model.ts';
import type { TaskModel } from '../task-service.ts';
import type { EndpointFacts } from './endpoint-facts.ts';

/** Returns the names under which a service may edit with a model (fal's naming of endpoints). */
function editNames(model: string): readonly string[] {
  const suffix = '/text-to-image';
  const replaced = model.endsWith(suffix) ? [`${model.slice(0, -suffix.length)}/edit`] : [];
  return [`${model}/edit`, `${model}/image-to-image`, ...replaced];
}

/** Returns the endpoint with which a service edits, if the endpoint of the model itself does not edit. */
export function editEndpoint(
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

/** Returns the names of all models. The endpoints with which listed models edit are not models of their own. */
export function allModels(endpoints: ReadonlyMap<string, EndpointFacts>): readonly string[] {
  const names = [...endpoints.keys()];
  const partners = new Set(names.flatMap((name) => editEndpoint(name, endpoints) ?? []));
  return names.filter((name) => !partners.has(name));
}
