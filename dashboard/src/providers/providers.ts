import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type Api, unwrap } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import type { Capabilities, Provider } from '../api/schemas.ts';
import type { Connection } from '../connection/connection.ts';

export type Providers = ReturnType<typeof createProviders>;

/** The registered providers and what their models can do. The registry does not change while the bridge runs. */
export function createProviders(api: Api, connection: Connection) {
  const list = signal<readonly Provider[] | undefined>(undefined);
  const error = signal<ApiError | undefined>(undefined);
  const capabilities = new Map<string, Signal<Capabilities | undefined>>();

  effect(() => {
    // A bridge that came back may have been started with other settings.
    void connection.returns.value;
    void load();
  });

  async function load(): Promise<void> {
    try {
      const page = await unwrap(api.GET('/v1/providers', { params: { query: { limit: 100 } } }));
      list.value = page.items;
      error.value = undefined;
      for (const [key, document] of capabilities) void loadCapabilities(key, document);
    } catch (failure) {
      error.value = failure instanceof ApiError ? failure : ApiError.unreachable();
    }
  }

  async function loadCapabilities(key: string, document: Signal<Capabilities | undefined>) {
    const [name, model] = JSON.parse(key) as [string, string];
    try {
      document.value = await unwrap(
        api.GET('/v1/providers/{name}/capabilities', {
          params: { path: { name }, query: { model } },
        }),
      );
    } catch {
      // It stays unknown: the connection says why, and its return asks again.
    }
  }

  return {
    /** `undefined` until they are known. */
    list: list as ReadonlySignal<readonly Provider[] | undefined>,
    error: error as ReadonlySignal<ApiError | undefined>,

    /** The capability document of a model, `undefined` until it is known. It is read once. */
    capabilities(provider: string, model: string): ReadonlySignal<Capabilities | undefined> {
      const key = JSON.stringify([provider, model]);
      let document = capabilities.get(key);
      if (document === undefined) {
        document = signal<Capabilities | undefined>(undefined);
        capabilities.set(key, document);
        void loadCapabilities(key, document);
      }
      return document;
    },
  };
}
