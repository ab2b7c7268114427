import { registeredProviders } from '../config/settings/provider-names.ts';
import type { Config } from '../config/settings/settings.ts';
import { OWN_PROVIDER } from '../contract/request/own-work.ts';
import type { PricedProvider } from './price-list.ts';

/** Kinds of providers, and dialects, that run on a server of the operator. */
const OWN_KINDS: ReadonlySet<string> = new Set(['sandbox', 'comfyui']);
const OWN_DIALECTS: ReadonlySet<unknown> = new Set(['localai', 'sdcpp', 'vllm-omni', 'sglang']);

/** Returns the facts that select the prices of each provider of the settings. */
export function pricedProviders(config: Config): ReadonlyMap<string, PricedProvider> {
  return new Map<string, PricedProvider>([
    [OWN_PROVIDER, { kind: OWN_PROVIDER, isFree: true, dialect: undefined, service: undefined }],
    ...registeredProviders(config).map(({ name, path, settings }) => {
      const [, kind = ''] = path.split('.');
      const dialect = 'dialect' in settings ? settings.dialect : undefined;
      const service = 'service' in settings ? String(settings.service) : undefined;
      const isFree = OWN_KINDS.has(kind) || OWN_DIALECTS.has(dialect);
      return [name, { kind, dialect, service, isFree }] as const;
    }),
  ]);
}
