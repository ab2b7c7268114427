import { BridgeError, type BridgeErrorOptions } from '../errors/bridge-error.ts';
import type { ErrorCode } from '../errors/codes.ts';
import { errorCode } from './error-code.ts';

/** The parts of a `BridgeError` as plain values, without the cause. */
export interface BridgeErrorCopy {
  readonly code: ErrorCode;
  readonly message: string;
  readonly options: Omit<BridgeErrorOptions, 'cause'>;
}

/** A thrown value in a form that can be sent to another thread. Error objects would lose their class and their code. */
export type ThrownCopy = {
  /** The stack frames, without the message. */
  readonly frames: string;
  readonly cause?: ThrownCopy;
} & (
  | BridgeErrorCopy
  /** Any other error, without its message, because the message may contain text of a caller. */
  | { readonly name: string; readonly systemCode: string | undefined }
);

// The limit is needed because a chain of causes may be circular.
const MAX_CAUSES = 8;

/** Copies a thrown value for another thread. */
export function copyThrown(thrown: unknown, maxCauses = MAX_CAUSES): ThrownCopy {
  if (!(thrown instanceof Error)) {
    return { name: typeof thrown, systemCode: undefined, frames: '' };
  }
  const { cause } = thrown;
  const copied =
    cause === undefined || maxCauses === 0 ? {} : { cause: copyThrown(cause, maxCauses - 1) };
  const rest = { frames: framesOf(thrown), ...copied };
  if (!(thrown instanceof BridgeError)) {
    return { name: thrown.name, systemCode: errorCode(thrown), ...rest };
  }
  return { ...copyBridgeError(thrown), ...rest };
}

/** Copies a `BridgeError` without its cause and its stack frames. */
export function copyBridgeError(error: BridgeError): BridgeErrorCopy {
  const { code, message, param, provider, upstreamRequestId, effect } = error;
  const { details, retryable, transient, headers } = error;
  return {
    code,
    message,
    options: {
      ...(param === null ? {} : { param }),
      ...(provider === undefined ? {} : { provider }),
      ...(upstreamRequestId === undefined ? {} : { upstreamRequestId }),
      ...(effect === undefined ? {} : { effect }),
      details,
      retryable,
      transient,
      headers,
    },
  };
}

/** Creates an error with the class, the code, the causes and the stack frames of the copied error. */
export function restoreThrown(copy: ThrownCopy): Error {
  const cause = copy.cause === undefined ? {} : { cause: restoreThrown(copy.cause) };
  if ('message' in copy) {
    const error = new BridgeError(copy.code, copy.message, { ...copy.options, ...cause });
    error.stack = `${error.name}: ${error.message}\n${copy.frames}`;
    return error;
  }
  const error = new Error('', cause);
  error.name = copy.name;
  error.stack = `${copy.name}\n${copy.frames}`;
  return copy.systemCode === undefined ? error : Object.assign(error, { code: copy.systemCode });
}

function framesOf({ stack = '', message }: Error): string {
  // The message at the start of the stack is skipped because one of its lines may look like a frame.
  const afterMessage = stack.slice(Math.max(0, stack.indexOf(message)) + message.length);
  return afterMessage
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
}
