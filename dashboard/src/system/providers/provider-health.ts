import type { Diagnostics, ProviderReport } from '../../api/schemas.ts';
import { hasLogin } from '../../providers/providers.ts';
import type { TextKey } from '../../text/text.ts';

export type Gate = Diagnostics['runtime']['providers'][string];

/** The health of a provider. All values except `ready` and `checking` require the user to act or to wait. */
export type Health =
  | 'ready'
  | 'checking'
  | 'login'
  | 'key'
  | 'executable'
  | 'configuration'
  | 'account'
  | 'unready'
  | 'paused'
  | 'retrying';

/** The provider that runs a program. Its configuration error means that the program was not found. */
const WITH_EXECUTABLE = 'agent-app-server';

export function toHealth(
  { name, ready, error_code }: ProviderReport,
  breaker: Gate['breaker'] | undefined,
): Health {
  // Calls to a provider may fail even if its last probe succeeded.
  if (ready) {
    if (breaker?.state === 'open') return 'paused';
    return breaker?.state === 'half_open' ? 'retrying' : 'ready';
  }
  if (error_code === undefined) return 'checking';
  if (error_code === 'authentication') return hasLogin(name) ? 'login' : 'key';
  if (error_code === 'configuration') {
    return name === WITH_EXECUTABLE ? 'executable' : 'configuration';
  }
  return error_code === 'upstream' ? 'account' : 'unready';
}

/** The steps that lead out of a state. `text` is a text key, and `code` is a command or a setting. */
export const STEPS: Readonly<
  Partial<Record<Health, readonly { readonly text: TextKey; readonly code?: string }[]>>
> = {
  login: [
    { text: 'system.step.login', code: 'codex login' },
    { text: 'system.step.nothingToRestart' },
  ],
  key: [
    { text: 'system.step.key', code: 'image-bridge doctor' },
    { text: 'system.step.keySource' },
  ],
  executable: [
    { text: 'system.step.install', code: 'npm install --global @openai/codex' },
    { text: 'system.step.name', code: 'providers.agent_app_server.executable' },
  ],
  configuration: [
    { text: 'system.step.check', code: 'image-bridge config check' },
    { text: 'system.step.restart' },
  ],
  account: [{ text: 'system.step.account' }],
};

interface Named {
  readonly health: Health;
  /** The display name of the provider. */
  readonly name: string;
  readonly isDefault: boolean;
}

/** Summarizes the state of the bridge in one or two sentences, as text keys with their values. */
export function toSummary(providers: readonly Named[]): readonly Sentence[] {
  const isWell = ({ health }: Named) => ['ready', 'retrying', 'checking'].includes(health);
  const unwell = providers.filter((provider) => !isWell(provider));
  const refuses = unwell.some(({ isDefault }) => isDefault);
  const first: Sentence = { key: refuses ? 'system.refusing' : 'system.working', values: {} };
  const [one] = unwell;
  if (one === undefined) return [first];
  if (unwell.length > 1) {
    return [first, { key: 'system.unwell.several', values: { count: unwell.length } }];
  }
  const kind = ['login', 'key', 'paused'].includes(one.health) ? one.health : 'other';
  return [first, { key: `system.unwell.${kind}`, values: { name: one.name } }];
}

interface Sentence {
  readonly key: string;
  readonly values: Readonly<Record<string, string | number>>;
}
