import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { Forwarder, Forwarding, ReplySink } from '../../lib/net/forwarder.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import type { RequestInFlight } from '../server/listener/requests-in-flight.ts';
import { type DrainOptions, drain } from '../server/listener/send-reply.ts';
import { openRequestBody, toReplyHeaders, toRequestHeaders } from './forwarded-request.ts';

export interface ForwardSettings {
  /** The maximum time from sending a request to the end of its reply. */
  readonly forwardMs: number;
  readonly maxBodyBytes: number;
}

export interface ForwardDeps extends ForwardSettings {
  readonly forwarder: Pick<Forwarder, 'forward'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly drainOptions: DrainOptions;
}

interface Attempt {
  readonly origin: string;
  readonly requestId: string;
  /** Aborts when the client has disconnected or the gateway is stopping. The attempt then ends in any state. */
  readonly signal: AbortSignal;
  /** Returns true if the reply is the last reply on its connection. */
  readonly isLast: () => boolean;
}

type Outcome = number | 'recalled' | 'not_sent';

export interface RunningAttempt {
  /**
   * Resolves with the status of the reply when the kernel has accepted the whole reply. Resolves with `recalled` after a call
   * of `recall`, and with `not_sent` if the slot could not be reached. In both cases no byte reached the slot. Rejects with
   * the signal's reason. Rejects with `protocol` or `timeout` if a request was sent but no complete reply was received.
   */
  readonly outcome: Promise<Outcome>;
  /** Ends the attempt with `recalled`. Has no effect if a part of the request has been sent. */
  recall(): void;
}

// The size of the buffer for the reply. Without a buffer, the slot would pause at every chunk, even if the client reads as
// fast as the slot sends.
const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * Sends one request to one slot, at most once, and sends its reply to the client. The only buffered part of the
 * request is the part that was read while the request was held.
 */
export function forwardOnce(
  request: RequestInFlight,
  { origin, requestId, signal, isLast }: Attempt,
  { forwarder, clock, drainOptions, forwardMs, maxBodyBytes }: ForwardDeps,
): RunningAttempt {
  const { incoming, outgoing } = request;
  const { method = 'GET', url: target = '/', rawHeaders } = incoming;
  const isSafe = method === 'GET' || method === 'HEAD';
  const { promise: outcome, resolve, reject } = Promise.withResolvers<Outcome>();
  let isSent = false;
  let isSettled = false;
  let hasBody = false;
  let forwarding: Forwarding | undefined;
  const body = openRequestBody(incoming, maxBodyBytes);

  /** Ends the attempt. Later events from the slot do not reach the client. */
  function settle(then: () => void): void {
    if (isSettled) return;
    isSettled = true;
    cancelDeadline();
    signal.removeEventListener('abort', onAbort);
    outgoing.off('drain', onDrain);
    body?.stop();
    forwarding?.abort();
    then();
  }

  function fail(error: unknown): void {
    settle(() => reject(error));
  }

  const onAbort = () => fail(signal.reason);
  const onDrain = () => forwarding?.resume();
  const cancelDeadline = clock.after(forwardMs, () => fail(timedOut(isSent, isSafe)));
  const sink: ReplySink = {
    sending() {
      if (isSettled) return false;
      isSent = true;
      body?.start();
      return true;
    },
    head(status, raw) {
      if (isSettled) return;
      const headers = toReplyHeaders(raw, requestId, isLast() || !incoming.complete);
      outgoing.writeHead(status, [...headers]);
      // Node delays the head until the body begins. The body usually begins in the same turn of the event loop.
      process.nextTick(() => {
        if (!isSettled && !hasBody) outgoing.flushHeaders();
      });
    },
    chunk(bytes) {
      hasBody = true;
      return isSettled || outgoing.write(bytes) || outgoing.writableLength < MAX_WAITING_BYTES;
    },
    end() {
      // Unset because the forwarding has ended, so that `settle` does not abort it.
      forwarding = undefined;
      settle(() => resolve(endReply(request, signal, drainOptions)));
    },
    fail(cause) {
      if (isSent || isRefusal(cause)) fail(toFailure(cause, isSafe));
      else settle(() => resolve('not_sent'));
    },
  };
  signal.addEventListener('abort', onAbort, { once: true });
  outgoing.on('drain', onDrain);
  const headers = toRequestHeaders(rawHeaders, requestId);
  const forward = () => {
    forwarding = forwarder.forward({ origin, method, target, headers, body: body?.stream }, sink);
  };
  if (body) body.onBegun(forward);
  else forward();
  return {
    outcome,
    recall() {
      if (!isSent) settle(() => resolve('recalled'));
    },
  };
}

/**
 * Ends the reply and resolves with its status. If the slot replied before the end of the request, reads the rest of the request
 * before the connection is closed.
 */
async function endReply(
  { incoming, outgoing }: RequestInFlight,
  signal: AbortSignal,
  drainOptions: DrainOptions,
): Promise<number> {
  const { statusCode } = outgoing;
  if (!incoming.complete) {
    await drain(incoming, drainOptions);
    outgoing.once('finish', () => incoming.destroy());
  }
  const closed = new Promise<unknown>((resolve) => {
    outgoing.once('close', resolve);
    signal.addEventListener('abort', resolve, { once: true });
  });
  outgoing.end();
  if (!outgoing.closed && !signal.aborted) await closed;
  return statusCode;
}

/** Returns true if the gateway or the HTTP library rejected the request itself. */
function isRefusal(cause: unknown): boolean {
  return cause instanceof BridgeError || isInvalid(cause);
}

function isInvalid(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'UND_ERR_INVALID_ARG';
}

function toFailure(cause: unknown, isSafe: boolean): BridgeError {
  if (cause instanceof BridgeError) return cause;
  if (isInvalid(cause)) {
    return new BridgeError('malformed_request', 'the request cannot be forwarded unchanged');
  }
  return new BridgeError('protocol', 'the connection to the active slot was lost', {
    // A safe request changes nothing and costs nothing, so the client can always repeat such a request.
    retryable: isSafe,
    details: isSafe ? {} : { outcome: 'unknown' },
    cause,
  });
}

function timedOut(isSent: boolean, isSafe: boolean): BridgeError {
  return new BridgeError('timeout', 'the active slot did not complete its reply in time', {
    retryable: isSafe || !isSent,
    details: isSent && !isSafe ? { outcome: 'unknown' } : {},
  });
}
