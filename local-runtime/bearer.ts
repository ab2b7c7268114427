import { BridgeError } from '../lib/errors/bridge-error.ts';

const MIN_TOKEN_BYTES = 16;

/**
 * The token that `server.bearer_token_env` names, or undefined when no bearer is configured. Throws `configuration` when
 * the variable is unset, empty or too short to be a secret; the message never holds its value.
 */
export function resolveBearer(
  variable: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (variable === undefined) return undefined;
  const token = env[variable] ?? '';
  if (token === '') return refuse('the variable that it names is unset or empty');
  if (Buffer.byteLength(token) < MIN_TOKEN_BYTES) {
    return refuse(`the token in the variable is shorter than ${MIN_TOKEN_BYTES} bytes`);
  }
  // A token with a space or a control character cannot be sent in a header.
  if (!/^[\x21-\x7e]+$/.test(token) || token.includes(',')) {
    return refuse('the token in the variable holds characters that no header can carry');
  }
  return token;
}

function refuse(reason: string): never {
  throw new BridgeError('configuration', `server.bearer_token_env: ${reason}`);
}
