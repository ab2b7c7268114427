import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveConfig } from '../../lib/config/resolve-config.ts';
import { createImageEngine } from '../../lib/images/image-engine.ts';
import { createHttpClient } from '../../lib/net/http-client.ts';
import { systemClock } from '../../lib/platform/clock.ts';
import { createIds } from '../../lib/platform/ids.ts';
import { slices } from './slices.ts';

interface Options {
  /** The keys of the scripted key source, in the order in which they replace each other. */
  readonly keys: readonly string[];
  readonly maxImageBytes?: number | undefined;
}

/** Opens the parts of a provider: real connections, a state directory of its own, and a scripted key source. */
export function openProviderParts({ keys, maxImageBytes = 1_048_576 }: Options) {
  const defaults = resolveConfig([]);
  if (!defaults.ok) throw new Error('the defaults are not valid');
  const images = { ...defaults.config.images, max_encoded_bytes: maxImageBytes };
  const stateDirectory = mkdtempSync(join(tmpdir(), 'provider-'));
  const clock = systemClock;
  const httpClient = createHttpClient();
  const engine = createImageEngine({ limits: images, clock, slices });
  let [key] = keys;
  return {
    parts: {
      engine,
      httpClient,
      clock,
      ids: createIds(clock.nowMs),
      slices,
      images,
      stateDirectory,
      searchPath: undefined,
      apiKey: {
        key: async () => key,
        async changed(since: string) {
          key = keys[keys.indexOf(since) + 1] ?? since;
          return key !== since;
        },
        problem: async () => undefined,
        readiness: async () => ({ ready: true }) as const,
      },
    },
    /** Must be called after the provider is closed. */
    async close(): Promise<void> {
      await httpClient.close();
      await engine.close();
      rmSync(stateDirectory, { recursive: true });
    },
  };
}
