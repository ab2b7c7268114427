import type { Offers } from './catalogue-page.ts';

/** The models of a service as its latest good answer lists them. `Facts` describe one model. */
export interface CatalogueState<Facts> {
  readonly models: ReadonlyMap<string, Facts>;
  readonly offers: Offers;
  /** The models that the latest answer did not list, with the time of the first such answer in milliseconds. */
  readonly missingSinceMs: ReadonlyMap<string, number>;
  /** The time of the latest good answer in milliseconds. Undefined before the first good answer. */
  readonly checkedAtMs: number | undefined;
}

/** The time after which a model that the service no longer lists leaves the catalogue. */
export const LEAVES_AFTER_MS = 3_600_000;

/** Returns the catalogue before its first answer. */
export function emptyCatalogue<Facts>(): CatalogueState<Facts> {
  return {
    models: new Map(),
    offers: new Map(),
    missingSinceMs: new Map(),
    checkedAtMs: undefined,
  };
}

/**
 * Returns the catalogue after an answer of the service. Returns undefined if the answer lists nothing, or less than half of the
 * known models, because such an answer is more probably a fault of the service than a change. A model leaves if two answers that
 * are at least an hour apart do not list the model.
 */
export function afterAnswer<Facts>(
  { models, offers, missingSinceMs }: CatalogueState<Facts>,
  answer: ReadonlyMap<string, Facts>,
  nowMs: number,
): CatalogueState<Facts> | undefined {
  const known = [...models.keys()];
  const missing = known.filter((name) => !answer.has(name));
  const isHalved = known.length > 1 && missing.length * 2 > known.length;
  if (answer.size === 0 || isHalved) return undefined;
  const kept = missing.flatMap((name) => {
    const sinceMs = missingSinceMs.get(name) ?? nowMs;
    return nowMs - sinceMs < LEAVES_AFTER_MS ? [[name, sinceMs] as const] : [];
  });
  const keptModels = kept.flatMap(([name]) => {
    const facts = models.get(name);
    return facts === undefined ? [] : [[name, facts] as const];
  });
  return {
    models: new Map([...answer, ...keptModels]),
    offers,
    missingSinceMs: new Map(kept),
    checkedAtMs: nowMs,
  };
}

/** Returns the catalogue with new offers. A model that the answer does not name keeps its offers. */
export function withOffers<Facts>(
  state: CatalogueState<Facts>,
  answer: Offers,
): CatalogueState<Facts> {
  const offers = [...state.offers, ...answer].filter(([name]) => state.models.has(name));
  return { ...state, offers: new Map(offers) };
}

/** Returns the catalogue without a model whose call the service has rejected because it does not have the model. */
export function withoutModel<Facts>(
  state: CatalogueState<Facts>,
  name: string,
): CatalogueState<Facts> {
  const models = new Map(state.models);
  models.delete(name);
  const missingSinceMs = new Map(state.missingSinceMs);
  missingSinceMs.delete(name);
  return { ...state, models, missingSinceMs };
}
