import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type Api, unwrap } from '../api/api.ts';
import type { Capabilities, Provider } from '../api/schemas.ts';
import type { Connection } from '../connection/connection.ts';

export type Providers = ReturnType<typeof createProviders>;

/** Reads the registered providers and the capabilities of their models. */
export function createProviders(api: Api, connection: Connection) {
  const list = signal<readonly Provider[] | undefined>(undefined);
  const capabilities = new Map<string, Signal<Capabilities | undefined>>();

  effect(() => {
    // A bridge that is reachable again may have been restarted with other settings.
    void connection.returns.value;
    void load();
  });

  async function load(): Promise<void> {
    try {
      const page = await unwrap(api.GET('/v1/providers', { params: { query: { limit: 100 } } }));
      list.value = page.items;
      for (const [key, document] of capabilities) void loadCapabilities(key, document);
    } catch {
      // The list stays undefined or unchanged. The connection status shows the reason.
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
      // The connection status shows the reason. The list is read when the bridge is reachable again.
    }
  }

  return {
    /** Undefined until the providers have been read. */
    list: list as ReadonlySignal<readonly Provider[] | undefined>,

    /** Returns a signal of the capability document of a model, which is read once and is undefined until then. */
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

/** Returns true if a provider uses the login of the agent instead of an API key. */
export function hasLogin(provider: string): boolean {
  return provider === 'agent-responses' || provider === 'agent-app-server';
}
