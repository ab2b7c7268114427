import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type Api, unwrap } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import type { Capabilities, Diagnostics, Provider } from '../api/schemas.ts';
import type { Connection } from '../connection/connection.ts';
import type { DiagnosticsSource } from '../diagnostics/diagnostics.ts';

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

export type ProviderState = Diagnostics['providers'][number];

/** Which providers are ready, as the bridge last found; read when somebody wants to know. */
export function createReadiness({ latest, read }: DiagnosticsSource) {
  return {
    /** By name. A provider that is missing here is not known to be unready: a token may lack the permission to know. */
    providers: computed<ReadonlyMap<string, ProviderState>>(
      () => new Map(latest.value?.report.providers.map((each) => [each.name, each])),
    ),
    read,
  };
}

/** Whether a provider has the login of the agent. All others have an API key, or need nothing. */
export function hasLogin(provider: string): boolean {
  return provider === 'agent-responses' || provider === 'agent-app-server';
}
