import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Config } from '../../config/settings/settings.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Ids } from '../../platform/ids.ts';

export type LoginSeal = ReturnType<typeof createLoginSeal>;

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
// NIST SP 800-38D, section 8.2.2: a random nonce of 96 bits.
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
// Binds the ciphertext to its purpose, so that other sealed values of the same key cannot take its place.
const PURPOSE = Buffer.from('image-bridge login');

/**
 * Reads the key from the environment variable that `state.seal_key_env` names. Throws `configuration`, with a message that never
 * contains the value.
 */
export function readSealKey(
  { seal_key_env: variable }: Pick<Config['state'], 'seal_key_env'>,
  env: Readonly<Record<string, string | undefined>>,
): Buffer {
  const text = variable === undefined ? '' : (env[variable] ?? '');
  if (text === '') throw refusal('the variable is unset or empty');
  const key = Buffer.from(text, 'base64');
  // The key is encoded again and compared, because the decoder ignores characters that are not base64.
  if (key.length === KEY_BYTES && key.toString('base64') === text) return key;
  throw refusal(
    'the variable does not contain 32 bytes in base64; create a key with: openssl rand -base64 32',
  );
}

/** Returns the error for a login that was stored under another key. */
export function wrongSealKey(): BridgeError {
  return refusal(
    'the key does not open the login in the database; use the key of the other replicas',
  );
}

function refusal(reason: string): BridgeError {
  return new BridgeError('configuration', `state.seal_key_env: ${reason}`);
}

/** Creates the functions that encrypt and decrypt logins with AES-256-GCM. */
export function createLoginSeal(key: Uint8Array, ids: Pick<Ids, 'newOpaqueId'>) {
  return {
    /** Returns the nonce, the tag and the encrypted text. */
    seal(text: string): Buffer {
      const nonce = Buffer.from(ids.newOpaqueId(), 'hex').subarray(0, NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(PURPOSE);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
    },

    /** Returns the text, or undefined if the bytes were not sealed with this key. */
    open(bytes: Uint8Array): string | undefined {
      const sealed = Buffer.from(bytes);
      if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const text = NONCE_BYTES + TAG_BYTES;
      try {
        const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        }).setAAD(PURPOSE);
        decipher.setAuthTag(sealed.subarray(NONCE_BYTES, text));
        return decipher.update(sealed.subarray(text), undefined, 'utf8') + decipher.final('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
