import * as v from 'valibot';
import type { CatalogueItem } from '../../catalogue/catalogue-page.ts';
import { InputMapping, mapInputs } from '../input-mapping.ts';
import { readInputMembers } from '../input-members.ts';

/** An endpoint of a service: the inputs of the calls that it receives. */
export const EndpointFacts = v.strictObject({ mapping: InputMapping });
export type EndpointFacts = v.InferOutput<typeof EndpointFacts>;

/**
 * Returns the item of a catalogue for the schema of an endpoint's input. Returns an empty list if the endpoint does not
 * make images from prompts, or requires inputs that the bridge does not have and the operator has not set.
 */
export function toItems(
  name: string,
  schema: { readonly document: unknown; readonly at: string },
  constants: Readonly<Record<string, unknown>> = {},
): readonly CatalogueItem[] {
  const members = readInputMembers(schema.document, schema.at);
  const mapped = members && mapInputs(members, constants);
  if (!mapped || mapped.unfilled.length > 0) return [];
  const facts: EndpointFacts = { mapping: mapped.mapping };
  return [{ name, facts }];
}
