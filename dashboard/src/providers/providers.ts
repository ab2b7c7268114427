import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type Api, ApiError, unwrap } from '../api/api.ts';
import type { Capabilities, Diagnostics, Provider } from '../api/schemas.ts';
import type { Connection } from '../connection/connection.ts';
import type { DiagnosticsSource } from '../diagnostics/diagnostics.ts';

export type Providers = ReturnType<typeof createProviders>;

/**
 * Reads the registered providers and the capabilities of their models. The registry does not change while the bridge
 * runs.
 */
export function createProviders(api: Api, connection: Connection) {
  const list = signal<readonly Provider[] | undefined>(undefined);
  const error = signal<ApiError | undefined>(undefined);
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
      error.value = undefined;
      for (const [key, document] of capabilities) void loadCapabilities(key, document);
    } catch (failure) {
      error.value = ApiError.of(failure);
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
      // The list stays undefined. The connection status shows the reason, and the list is read when the bridge is
      // reachable again.
    }
  }

  return {
    /** Undefined until the providers have been read. */
    list: list as ReadonlySignal<readonly Provider[] | undefined>,
    error: error as ReadonlySignal<ApiError | undefined>,

    /**
     * Returns a signal of the capability document of a model. Undefined until the document has been read, which happens
     * once per model.
     */
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

export type ProviderState = Diagnostics['providers'][number];

/** Returns the readiness of the providers as the bridge last reported it, and a function to read it again. */
export function createReadiness({ latest, read }: DiagnosticsSource) {
  return {
    /**
     * States by provider name. A provider without a state may still be ready, because the token may lack the permission
     * to read the states.
     */
    providers: computed<ReadonlyMap<string, ProviderState>>(
      () => new Map(latest.value?.report.providers.map((each) => [each.name, each])),
    ),
    read,
  };
}

/**
 * Returns true if a provider uses the login of the agent. All other providers use an API key, or need no credentials.
 */
export function hasLogin(provider: string): boolean {
  return provider === 'agent-responses' || provider === 'agent-app-server';
}
