import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { Forwarder, Forwarding, ReplySink } from '../../lib/net/forwarder.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import { type DrainOptions, drain } from '../listener/drain.ts';
import type { RequestInFlight } from '../listener/requests-in-flight.ts';
import { toReplyHeaders, toRequestHeaders } from './forwarded-headers.ts';
import { openRequestBody } from './request-body.ts';

export interface ForwardSettings {
  /** How long a request may take from here to the end of its reply. */
  readonly forwardMs: number;
  readonly maxBodyBytes: number;
}

export interface ForwardDeps extends ForwardSettings {
  readonly forwarder: Pick<Forwarder, 'forward'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly drainOptions: DrainOptions;
  /** Called when the head of a reply is there. */
  readonly onHead: (request: RequestInFlight) => void;
}

export interface Attempt {
  readonly origin: string;
  readonly requestId: string;
  /** Ends the attempt whatever has happened: the client has disconnected, or the gateway stops. */
  readonly signal: AbortSignal;
  /** Whether the reply is the last one on its connection. */
  readonly isLast: () => boolean;
}

type Outcome = number | 'recalled' | 'not_sent';

export interface RunningAttempt {
  /**
   * The status of the reply once the kernel has all of it. `recalled` and `not_sent`: certainly no byte reached the slot,
   * because of `recall` or because the slot could not be reached. Rejects with the signal's reason. Throws `protocol` or
   * `timeout` of unknown outcome when a request was sent and no reply, or not all of one, came.
   */
  readonly outcome: Promise<Outcome>;
  /** Ends the attempt as `recalled` unless something of the request has been sent. */
  recall(): void;
}

// A client that takes a reply as fast as it comes must not stop the slot at every piece.
const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * Sends one request to one slot, at most once, and its reply to the client. Nothing more of it is buffered than was read
 * while it was held.
 */
export function forwardOnce(
  request: RequestInFlight,
  { origin, requestId, signal, isLast }: Attempt,
  { forwarder, clock, drainOptions, forwardMs, maxBodyBytes, onHead }: ForwardDeps,
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

  /** Once this has run, nothing that the slot does reaches the client. */
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
      onHead(request);
      const headers = toReplyHeaders(raw, requestId, isLast() || !incoming.complete);
      outgoing.writeHead(status, [...headers]);
      // Node would keep the head until the body begins. Most often it begins in the same turn.
      process.nextTick(() => {
        if (!isSettled && !hasBody) outgoing.flushHeaders();
      });
    },
    chunk(bytes) {
      hasBody = true;
      return isSettled || outgoing.write(bytes) || outgoing.writableLength < MAX_WAITING_BYTES;
    },
    end() {
      // There is nothing left to close.
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

/** Resolves with the status. What is left of a request whose reply came early is read before the connection closes. */
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

/** Whether the request itself is at fault, for the gateway or for the library that would have sent it. */
function isRefusal(cause: unknown): boolean {
  return cause instanceof BridgeError || isInvalid(cause);
}

function isInvalid(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'UND_ERR_INVALID_ARG';
}

function toFailure(cause: unknown, isSafe: boolean): BridgeError {
  if (cause instanceof BridgeError) return cause;
  if (isInvalid(cause)) {
    return new BridgeError('malformed_request', 'the request cannot be forwarded as it is');
  }
  return new BridgeError('protocol', 'the connection to the active slot was lost', {
    // A safe request buys nothing: its client may repeat it, whatever has become of it.
    retryable: isSafe,
    details: isSafe ? {} : { outcome: 'unknown' },
    cause,
  });
}

function timedOut(isSent: boolean, isSafe: boolean): BridgeError {
  return new BridgeError('timeout', 'the active slot did not end its reply in time', {
    retryable: isSafe || !isSent,
    details: isSent && !isSafe ? { outcome: 'unknown' } : {},
  });
}
