import { createHmac } from 'node:crypto';
import type { Config } from '../config/settings/settings.ts';
import type { WebhookHeaders } from '../contract/resources/job-events.ts';
import { BridgeError } from '../errors/bridge-error.ts';

interface Message {
  /** The same for every attempt, so that receivers can ignore duplicates. */
  readonly id: string;
  /** The time of this attempt, in Unix seconds. */
  readonly timestampSecs: number;
  readonly body: string;
}

/** Returns the headers that Standard Webhooks 1.0 requires, with one signature for each key. */
export function signWebhook(
  { id, timestampSecs, body }: Message,
  keys: readonly Uint8Array[],
): WebhookHeaders {
  const signed = `${id}.${timestampSecs}.${body}`;
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSecs),
    'webhook-signature': signatures.join(' '),
  };
}

const PREFIX = 'whsec_';
// The length of the secret of a symmetric signature (Standard Webhooks 1.0, "Signature scheme").
const MIN_BYTES = 24;
const MAX_BYTES = 64;
const MAX_SECRETS = 2;

type Settings = Pick<Config['server']['webhooks'], 'enabled' | 'secret_env'>;

/**
 * Reads the keys of the signatures from the variable that `server.webhooks.secret_env` names: one key, or two during a
 * rotation. Returns undefined if webhooks are off. Throws `configuration`, with a message that never contains the value.
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
  // The decoder ignores characters that are not base64.
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
