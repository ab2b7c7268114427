import type * as v from 'valibot';
import type { ProviderCatalogue } from '../provider-port.ts';
import { type AnswerDeps, createAnswerReader, unreadable } from './catalogue-answer.ts';
import { createCatalogueFile } from './catalogue-file.ts';
import {
  afterAnswer,
  type CatalogueState,
  LEAVES_AFTER_MS,
  withOffers,
  withoutModel,
} from './catalogue-state.ts';

interface Deps<Facts> extends AnswerDeps {
  /** The registered name of the provider. */
  readonly provider: string;
  /** The setting `catalogue_hours`. */
  readonly hours: number;
  /** Form of the facts that describe one model. */
  readonly facts: v.GenericSchema<unknown, Facts>;
  readonly stateDirectory: string;
}

const HOUR_MS = 3_600_000;
/** The pause before the next attempt after a failed refresh. */
const RETRY_MS = 600_000;
/** The interval at which the task checks if a refresh is due. */
const CHECK_MS = 60_000;

export type Catalogue<Facts> = ReturnType<typeof createCatalogue<Facts>>;

/**
 * Creates the catalogue of a service: the models that the service lists, with their facts. A task refreshes the catalogue.
 * A request never waits for a refresh.
 */
export function createCatalogue<Facts>(deps: Deps<Facts>) {
  const { provider, hours, clock } = deps;
  // A file that was written for other paths lists other models.
  const source = JSON.stringify([deps.kind, deps.address, deps.paths]);
  const file = createCatalogueFile<Facts>({ ...deps, source });
  const answer = createAnswerReader(deps);
  const left = new Set<string>();
  let state = file.read();
  let waiting = { sinceMs: 0, forMs: 0 };
  const first = Promise.withResolvers<void>();
  if (state.checkedAtMs !== undefined) first.resolve();

  function waitFor(forMs: number): void {
    waiting = { sinceMs: clock.nowMs(), forMs };
  }

  /** Returns true if the wait is over, or if the clock of the system was set back by more than the wait. */
  function isDue(): boolean {
    // The monotonic clock stands still while a computer sleeps.
    return Math.abs(clock.nowMs() - waiting.sinceMs) >= waiting.forMs;
  }

  function change(next: CatalogueState<Facts>): void {
    for (const name of state.models.keys()) if (!next.models.has(name)) left.add(name);
    for (const name of next.models.keys()) left.delete(name);
    state = next;
  }

  async function refresh(signal: AbortSignal): Promise<void> {
    const { models, offers, hasAllOffers } = await answer.read(signal);
    // The cast is safe because the kind determines the parser of the replies and the type of the facts.
    const facts = models as ReadonlyMap<string, Facts>;
    const answered = afterAnswer(state, facts, clock.nowMs());
    if (!answered) throw unreadable('models_missing');
    const next = withOffers(answered, offers);
    change(next);
    const isSettled = next.missingSinceMs.size === 0 && hasAllOffers;
    waitFor(isSettled ? hours * HOUR_MS : LEAVES_AFTER_MS);
    await file.save(next);
  }

  const published: Omit<ProviderCatalogue, 'tariffs'> = {
    refresh: {
      name: `catalogue-${provider}`,
      everyMs: CHECK_MS,
      async run(signal) {
        if (!isDue()) return;
        waitFor(RETRY_MS);
        await refresh(signal).finally(first.resolve);
      },
    },
    firstAnswer: first.promise,
    ageSecs: () =>
      state.checkedAtMs === undefined ? undefined : (clock.nowMs() - state.checkedAtMs) / 1000,
    hasLeft: (model) => left.has(model),
  };

  return {
    published,

    /** Returns the models and their facts. The result is the same object until the catalogue changes. */
    models: () => state.models,

    /** Returns the offers of the models. The result is the same object until the catalogue changes. */
    offers: () => state.offers,

    /**
     * Removes a model whose call the service has rejected because it does not have the model. The model returns if a later
     * answer lists it. A model that the catalogue never listed is not removed.
     */
    remove(name: string): void {
      if (state.models.has(name)) change(withoutModel(state, name));
    },

    close: answer.close,
  };
}
