import type { Model, ModelList } from '../contract/openai/models.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';

interface Deps {
  /** Returns the enabled providers with their current models, sorted by name. */
  readonly providers: () => readonly {
    readonly name: string;
    readonly models: readonly string[];
  }[];
  /** Returns the provider for a request that names only a model, or undefined if no provider lists the model. */
  readonly providerOf: (model: string) => string | undefined;
  /** `server.compat.model_aliases`. */
  readonly aliases: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

/** The meaning of a model name sent by a caller. */
interface ModelRoute {
  /** Undefined if the name contains no provider. */
  readonly provider: string | undefined;
  readonly model: string;
}

export type Models = ReturnType<typeof createModels>;

/** Resolves and lists the model names of the OpenAI-compatible routes. */
export function createModels({ providers, providerOf, aliases, clock }: Deps) {
  const created = nowSecs(clock);

  /** Resolves a model name. A request for a model that no provider lists is rejected later. */
  function resolve(id: string): ModelRoute {
    const name = (Object.hasOwn(aliases, id) ? aliases[id] : undefined) ?? id;
    const slash = name.indexOf('/');
    const provider = name.slice(0, Math.max(0, slash));
    const isRoute = providers().some((one) => one.name === provider);
    // The name of a listed model may itself contain a slash.
    return isRoute && providerOf(name) === undefined
      ? { provider, model: name.slice(slash + 1) }
      : { provider: undefined, model: name };
  }

  function find(id: string): Model | undefined {
    const { provider, model } = resolve(id);
    const owner = provider ?? providerOf(model);
    const lists = providers().some((one) => one.name === owner && one.models.includes(model));
    return owner !== undefined && lists
      ? { id, object: 'model', created, owned_by: owner }
      : undefined;
  }

  /** Returns the id of each model: its name if the name resolves to this model, else `provider/model`. */
  function toIds(): string[] {
    return providers().flatMap(({ name, models }) =>
      models.map((model) => {
        const meant = resolve(model);
        const isMeant = meant.model === model && (meant.provider ?? providerOf(model)) === name;
        return isMeant ? model : `${name}/${model}`;
      }),
    );
  }

  return {
    resolve,

    list(): ModelList {
      const ids = new Set([...toIds(), ...Object.keys(aliases)]);
      return { object: 'list', data: [...ids].flatMap((id) => find(id) ?? []) };
    },

    /** Returns a model. Throws `not_found` if no provider lists the model. */
    get(id: string): Model {
      const found = find(id);
      if (!found) throw new BridgeError('not_found', 'no provider lists this model');
      return found;
    },
  };
}
