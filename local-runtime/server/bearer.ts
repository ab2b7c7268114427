import { BridgeError } from '../../lib/errors/bridge-error.ts';

const MIN_TOKEN_BYTES = 16;

/**
 * Returns the token in the variable named by `server.bearer_token_env`, or undefined if the setting is unset. Throws
 * `configuration` if the variable is unset, empty or too short to be a secret. The message never contains the value.
 */
export function resolveBearer(
  variable: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (variable === undefined) return undefined;
  const token = env[variable] ?? '';
  if (token === '') return refuse('the environment variable is unset or empty');
  if (Buffer.byteLength(token) < MIN_TOKEN_BYTES) {
    return refuse(`the token is shorter than ${MIN_TOKEN_BYTES} bytes`);
  }
  // A token with a space or a control character cannot be sent in a header.
  if (!/^[\x21-\x7e]+$/.test(token) || token.includes(',')) {
    return refuse('the token contains characters that are not allowed in an HTTP header');
  }
  return token;
}

function refuse(reason: string): never {
  throw new BridgeError('configuration', `server.bearer_token_env: ${reason}`);
}
