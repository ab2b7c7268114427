import { parseAmount } from '../../contract/reply/cost.ts';
import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Tariff } from '../model-prices-port.ts';
import type { Catalogue } from './catalogue.ts';
import type { Offer, Offers } from './catalogue-page.ts';

interface Described {
  readonly document: CapabilityDocument;
}

interface Deps<Facts, Model extends Described> {
  /** Undefined if the service publishes no models or the setting is "off". */
  readonly catalogue: Catalogue<Facts> | undefined;
  readonly settings: {
    readonly models: readonly string[];
    readonly catalogue: 'listed' | 'all' | 'off';
  };
  /** Returns the names of all models that a catalogue offers. */
  readonly namesOf: (facts: ReadonlyMap<string, Facts>) => readonly string[];
  /** Describes a model, whether the catalogue lists the model or not. Returns undefined for an unknown model. */
  readonly toModel: (
    name: string,
    facts: ReadonlyMap<string, Facts>,
    offers: Offers,
  ) => Model | undefined;
  /** Returns the offers with the prices of a model. */
  readonly offersOf: (
    name: string,
    facts: ReadonlyMap<string, Facts>,
    offers: Offers,
  ) => readonly Offer[];
}

/** The models of one account at one time. */
interface Listed<Model> {
  readonly facts: unknown;
  readonly offers: unknown;
  readonly documents: readonly CapabilityDocument[];
  readonly byName: ReadonlyMap<string, Model>;
}

const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();
/** Maximum number of models that a catalogue adds to the settings. */
const MAX_ADDED = 500;

/**
 * Creates the models of one account: the models of the settings, and with `catalogue = "all"` also the models of the
 * service's catalogue. A model that has left the catalogue is not listed, not even if the settings name the model.
 */
export function createListedModels<Facts, Model extends Described>(deps: Deps<Facts, Model>) {
  const { catalogue, settings, namesOf, toModel, offersOf } = deps;
  /** Every model that a call may have been planned with, including models that have left. */
  const known = new Map<string, Model>();
  /** The tariffs of these models. A call that is running when its model leaves still has its price. */
  const tariffs = new Map<string, readonly Tariff[]>();
  let listed: Listed<Model> | undefined;

  function list(facts: ReadonlyMap<string, Facts>, offers: Offers): Listed<Model> {
    const added = settings.catalogue === 'all' ? namesOf(facts).slice(0, MAX_ADDED) : [];
    const names = [...new Set([...settings.models, ...added])];
    const models = names.flatMap((name) => {
      const model = catalogue?.published.hasLeft(name) ? undefined : toModel(name, facts, offers);
      return model ? [[name, model] as const] : [];
    });
    for (const [name, model] of models) known.set(name, model);
    const documents = models.map(([, { document }]) => document);
    for (const [name] of models) tariffs.set(name, offersOf(name, facts, offers).map(toTariff));
    return { facts, offers, documents, byName: new Map(models) };
  }

  function current(): Listed<Model> {
    const facts = catalogue?.models() ?? NOTHING;
    const offers = catalogue?.offers() ?? NOTHING;
    if (listed?.facts !== facts || listed.offers !== offers) listed = list(facts, offers);
    return listed;
  }

  function tariffsOf(name: string): readonly Tariff[] {
    current();
    return tariffs.get(name) ?? [];
  }

  return {
    /** Returns the documents of all models. The result is the same object until the catalogue changes. */
    documents: () => current().documents,

    /** Returns a model that the account has, or had when a call was planned. Returns undefined for any other name. */
    find: (name: string) => current().byName.get(name) ?? known.get(name),

    /**
     * Runs a call. If the service rejects the call because it does not have the model, the model leaves the catalogue, and
     * the error has the reason `model_gone`.
     */
    async run<Result>(model: string, call: () => Promise<Result>): Promise<Result> {
      try {
        return await call();
      } catch (thrown) {
        if (!catalogue?.models().has(model) || !isModelRefused(thrown)) throw thrown;
        catalogue.remove(model);
        throw thrown.with({ details: { reason: 'model_gone' } });
      }
    },

    /** The catalogue for the port, as a member that is absent if there is no catalogue. */
    published: catalogue ? { catalogue: { ...catalogue.published, tariffs: tariffsOf } } : {},

    async close(): Promise<void> {
      await catalogue?.close();
    },
  };
}

function toTariff({ prices }: Offer): Tariff {
  // The amount has been checked when the price was read.
  return prices.map(({ amount, ...price }) => ({ ...price, amount: parseAmount(amount) ?? 0n }));
}

function isModelRefused(thrown: unknown): thrown is BridgeError {
  return (
    thrown instanceof BridgeError &&
    thrown.code === 'unsupported_capability' &&
    thrown.details['field'] === 'routing.model'
  );
}
