import type { Model, ModelList } from '../contract/openai/models.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';

interface Deps {
  /** The enabled ones, by name. */
  readonly providers: readonly { readonly name: string; readonly models: readonly string[] }[];
  /** The provider that a model on its own goes to; undefined when none lists it. */
  readonly providerOf: (model: string) => string | undefined;
  /** `server.compat.model_aliases`. */
  readonly aliases: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

/** What a caller's name of a model means. */
export interface ModelRoute {
  /** Undefined where the name says nothing of it. */
  readonly provider: string | undefined;
  readonly model: string;
}

export type Models = ReturnType<typeof createModels>;

/** Knows what the names of models mean on the OpenAI-familiar routes, and lists them (contract.md 10). */
export function createModels({ providers, providerOf, aliases, clock }: Deps) {
  const created = nowSecs(clock);
  const all = [...new Set([...toIds(), ...Object.keys(aliases)])].flatMap((id) => find(id) ?? []);

  /** The target need not be listed: the request is refused when it is used. */
  function resolve(id: string): ModelRoute {
    const name = (Object.hasOwn(aliases, id) ? aliases[id] : undefined) ?? id;
    const slash = name.indexOf('/');
    const provider = name.slice(0, Math.max(0, slash));
    const isRoute = providers.some((one) => one.name === provider);
    // A model whose own name has a slash is called by that.
    return isRoute && providerOf(name) === undefined
      ? { provider, model: name.slice(slash + 1) }
      : { provider: undefined, model: name };
  }

  function find(id: string): Model | undefined {
    const { provider, model } = resolve(id);
    const owner = provider ?? providerOf(model);
    const lists = providers.some((one) => one.name === owner && one.models.includes(model));
    return owner !== undefined && lists
      ? { id, object: 'model', created, owned_by: owner }
      : undefined;
  }

  /** Each model by its own name where that leads to it, and else by its provider's and its own. */
  function toIds(): string[] {
    return providers.flatMap(({ name, models }) =>
      models.map((model) => {
        const meant = resolve(model);
        const isMeant = meant.model === model && (meant.provider ?? providerOf(model)) === name;
        return isMeant ? model : `${name}/${model}`;
      }),
    );
  }

  return {
    resolve,

    list: (): ModelList => ({ object: 'list', data: all }),

    /** Throws `not_found` for a name that leads to no model. */
    get(id: string): Model {
      const found = find(id);
      if (!found) throw new BridgeError('not_found', 'no provider lists this model');
      return found;
    },
  };
}
