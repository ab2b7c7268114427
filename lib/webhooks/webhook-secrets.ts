import type { Config } from '../config/settings/settings.ts';
import { BridgeError } from '../errors/bridge-error.ts';

const PREFIX = 'whsec_';
// The minimum and maximum length of a secret (Standard Webhooks 1.0, "Signature scheme").
const MIN_BYTES = 24;
const MAX_BYTES = 64;
const MAX_SECRETS = 2;

type Settings = Pick<Config['server']['webhooks'], 'enabled' | 'secret_env'>;

/**
 * Reads the signature keys from the environment variable that `server.webhooks.secret_env` names. The variable contains one
 * key, or two keys during a rotation. Returns undefined if webhooks are off. Throws `configuration`, with a message that never
 * contains the value.
 */
export function readWebhookSecrets(
  { enabled, secret_env: variable }: Settings,
  env: Readonly<Record<string, string | undefined>>,
): readonly Buffer[] | undefined {
  if (!enabled || variable === undefined) return undefined;
  const texts = (env[variable] ?? '').split(' ').filter((text) => text !== '');
  if (texts.length === 0) return refuse('the variable is unset or empty');
  if (texts.length > MAX_SECRETS) {
    return refuse(`the variable contains more than ${MAX_SECRETS} secrets`);
  }
  return texts.map(toKey);
}

function toKey(text: string): Buffer {
  const base64 = text.slice(PREFIX.length);
  const key = Buffer.from(base64, 'base64');
  // The key is encoded again and compared, because the decoder ignores characters that are not base64.
  const isExact = key.toString('base64') === base64;
  const isLongEnough = key.length >= MIN_BYTES && key.length <= MAX_BYTES;
  if (text.startsWith(PREFIX) && isExact && isLongEnough) return key;
  return refuse(
    `a secret in the variable is not "${PREFIX}" followed by ${MIN_BYTES} to ${MAX_BYTES} bytes in base64`,
  );
}

function refuse(reason: string): never {
  throw new BridgeError('configuration', `server.webhooks.secret_env: ${reason}`);
}
