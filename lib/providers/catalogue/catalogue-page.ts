/** The services whose lists of models can be read. */
export type CatalogueKind = 'fal' | 'replicate' | 'openrouter';

/** A model in a reply of a service. The kind of the catalogue determines the type of `facts`, which is plain JSON. */
export interface CatalogueItem {
  readonly name: string;
  readonly facts: unknown;
}

/** The contents of one reply. */
export interface CataloguePage {
  readonly items: readonly CatalogueItem[];
  /** Paths of further replies that belong to the same answer. */
  readonly more: readonly string[];
}

/** Inputs that the operator has set, by model. The bridge does not map these inputs. */
export type Constants = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * Parses the reply to a path. Returns undefined if the reply does not have the form of the service. Malformed models are
 * omitted.
 */
export type ParsePage = (
  reply: unknown,
  request: { readonly path: string; readonly constants: Constants },
) => CataloguePage | undefined;
