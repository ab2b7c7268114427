import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Catalogue } from './catalogue.ts';

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
  readonly toModel: (name: string, facts: ReadonlyMap<string, Facts>) => Model | undefined;
}

/** The models of one account at one time. */
interface Listed<Model> {
  readonly facts: unknown;
  readonly documents: readonly CapabilityDocument[];
  readonly byName: ReadonlyMap<string, Model>;
}

const NO_FACTS: ReadonlyMap<string, never> = new Map<string, never>();
/** Maximum number of models that a catalogue adds to the settings. */
const MAX_ADDED = 500;

/**
 * Creates the models of one account: the models of the settings, and with `catalogue = "all"` also the models of the
 * service's catalogue. A model that has left the catalogue is not listed, not even if the settings name the model.
 */
export function createListedModels<Facts, Model extends Described>(deps: Deps<Facts, Model>) {
  const { catalogue, settings, namesOf, toModel } = deps;
  /** Every model that a call may have been planned with, including models that have left. */
  const known = new Map<string, Model>();
  let listed: Listed<Model> | undefined;

  function list(facts: ReadonlyMap<string, Facts>): Listed<Model> {
    const added = settings.catalogue === 'all' ? namesOf(facts).slice(0, MAX_ADDED) : [];
    const names = [...new Set([...settings.models, ...added])];
    const models = names.flatMap((name) => {
      const model = catalogue?.published.hasLeft(name) ? undefined : toModel(name, facts);
      return model ? [[name, model] as const] : [];
    });
    for (const [name, model] of models) known.set(name, model);
    const documents = models.map(([, { document }]) => document);
    return { facts, documents, byName: new Map(models) };
  }

  function current(): Listed<Model> {
    const facts = catalogue?.models() ?? NO_FACTS;
    if (listed?.facts !== facts) listed = list(facts);
    return listed;
  }

  return {
    /** Returns the documents of all models. The result is the same object until the catalogue changes. */
    documents: () => current().documents,

    /** Returns a model that the account has, or had when a call was planned. */
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
    published: catalogue ? { catalogue: catalogue.published } : {},

    async close(): Promise<void> {
      await catalogue?.close();
    },
  };
}

function isModelRefused(thrown: unknown): thrown is BridgeError {
  return (
    thrown instanceof BridgeError &&
    thrown.code === 'unsupported_capability' &&
    thrown.details['field'] === 'routing.model'
  );
}
