import type { Config } from '../config/settings.ts';
import type { ImageEngine } from '../images/image.ts';
import type { Clock } from '../platform/clock.ts';
import type { Provider } from './provider-port.ts';
import { createSandboxProvider } from './sandbox/provider.ts';

interface Deps {
  readonly engine: ImageEngine;
  readonly clock: Clock;
}

/** The providers that the settings turn on; a new provider adds its line here. */
export function enabledProviders(
  settings: Config['providers'],
  { engine, clock }: Deps,
): readonly Provider[] {
  const { sandbox } = settings;
  return sandbox.enabled ? [createSandboxProvider({ settings: sandbox, engine, clock })] : [];
}
