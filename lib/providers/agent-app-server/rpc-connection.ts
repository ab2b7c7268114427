import type { Readable, Writable } from 'node:stream';
import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { TimeSlices } from '../../platform/time-slices.ts';
import { createJsonReader, type StreamedJson } from '../http/streamed-json.ts';

/** A notification from the child. */
export interface Notification {
  readonly method: string;
  readonly params: unknown;
  /** The whole message. Its method `bytesOf` returns the bytes of long strings. */
  readonly message: StreamedJson;
}

interface Deps {
  readonly input: Writable;
  readonly output: Readable;
  readonly clock: Pick<Clock, 'after'>;
  readonly slices: TimeSlices;
  /** The setting `rpc_max_message_bytes`. */
  readonly maxMessageBytes: number;
  /** The setting `rpc_timeout_ms`. */
  readonly timeoutMs: number;
  readonly onNotification: (notification: Notification) => void;
  /** Called for each output line that is not a message. */
  readonly onSkippedLine: () => void;
  /**
   * Handles a request from the child. Returns undefined for an unsupported method. A rejection becomes an error
   * response.
   */
  readonly handleRequest: (method: string, params: unknown) => Promise<unknown> | undefined;
  /** Called if the output is invalid or the child does not respond. The child must then be replaced. */
  readonly onFault: () => void;
}

/** Id of a request, chosen by the sender of the request. The ids of the child begin with 0. */
const Id = v.union([v.number(), v.string()]);

const Message = v.object({
  id: v.optional(Id),
  method: v.optional(v.string()),
  params: v.optional(v.unknown()),
  result: v.optional(v.unknown()),
  error: v.optional(v.fallback(v.object({ message: v.string() }), { message: '' })),
});

// Maximum number of bytes that are waiting to be read by the child.
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;

/** Creates a JSON-RPC connection over the standard streams of the child, with one message per line. */
export function createRpcConnection(deps: Deps) {
  const { input, output, clock, slices, timeoutMs } = deps;
  const pending = createPendingRequests(clock, timeoutMs);
  let messages = 0;
  let end: BridgeError | undefined;

  function write(message: object): void {
    input.write(`${JSON.stringify(message)}\n`);
    if (input.writableLength > MAX_UNREAD_BYTES) breakOff('input_not_read');
  }

  function finish(error: BridgeError): BridgeError {
    end ??= error;
    pending.rejectAll(end);
    return end;
  }

  function breakOff(reason: string): void {
    finish(new BridgeError('protocol', 'the agent violated its protocol', { details: { reason } }));
    deps.onFault();
  }

  function respond(id: number | string, method: string, params: unknown): void {
    const result = deps.handleRequest(method, params);
    if (!result) {
      write({ id, error: { code: -32601, message: 'not supported' } });
      return;
    }
    result.then(
      (value) => write({ id, result: value }),
      () => write({ id, error: { code: -32000, message: 'failed' } }),
    );
  }

  function take(message: StreamedJson): void {
    messages += 1;
    const parsed = v.safeParse(Message, message.value);
    if (!parsed.success) return;
    const { id, method, params, error, result } = parsed.output;
    if (method !== undefined) {
      if (id === undefined) deps.onNotification({ method, params, message });
      else respond(id, method, params);
    } else if (typeof id === 'number') {
      pending.settle(id, error ? { ok: false, message: error.message } : { ok: true, result });
    }
  }

  async function read(): Promise<BridgeError> {
    const receiver = { onMessage: take, onSkippedLine: deps.onSkippedLine };
    const reader = createMessageReader(deps.maxMessageBytes, receiver);
    const { signal } = new AbortController();
    try {
      for await (const chunk of output) {
        const fault = await slices.runStep(() => (end ? undefined : reader.push(chunk)), signal);
        if (fault && !end) breakOff(fault);
      }
    } catch {
      // A read error is treated as the end of the output.
    }
    return finish(new BridgeError('upstream', 'the agent has ended', { retryable: true }));
  }

  return {
    /**
     * Resolves with the response. Rejects with a retryable `upstream` if the child ends before it responds or does not
     * respond in time, and with `protocol` if the child violates the protocol. The request has been written when this
     * method returns, unless `hasEnded` is true.
     */
    request(method: string, params: object): Promise<RpcReply> {
      if (end) return Promise.reject(end);
      const messagesBefore = messages;
      const { id, reply } = pending.add(() => {
        // A child that has written no message since the request was sent is hanging.
        if (messages === messagesBefore) breakOff('silent');
      });
      write({ id, method, params });
      return reply;
    },

    notify: (method: string) => write({ method }),

    /** Returns true if requests can no longer be sent to the child. */
    hasEnded: () => end !== undefined,

    /** If requests can no longer be sent to the child, throws the error with which `request` rejects. */
    throwIfEnded(): void {
      if (end) throw end;
    },

    /** Resolves with the reason when the child has ended and all its output has been read. */
    ended: read(),
  };
}

/** The response to a request: the result of the method, or the text of its error. */
export type RpcReply =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly message: string };

/** Tracks requests until their response arrives or `timeoutMs` has passed. */
function createPendingRequests(clock: Pick<Clock, 'after'>, timeoutMs: number) {
  const pending = new Map<number, PromiseWithResolvers<RpcReply>>();
  let lastId = 0;

  return {
    /** Adds a request. After the timeout the reply rejects with `upstream`, and `onTimeout` is called. */
    add(onTimeout: () => void): { readonly id: number; readonly reply: Promise<RpcReply> } {
      lastId += 1;
      const id = lastId;
      const request = Promise.withResolvers<RpcReply>();
      const cancel = clock.after(timeoutMs, () => {
        pending.delete(id);
        const message = 'the agent did not respond in time';
        request.reject(new BridgeError('upstream', message, { retryable: true }));
        onTimeout();
      });
      pending.set(id, request);
      return { id, reply: request.promise.finally(cancel) };
    },

    /** Settles a request. A response to an unknown or expired request is ignored. */
    settle(id: number, reply: RpcReply): void {
      pending.get(id)?.resolve(reply);
      pending.delete(id);
    },

    rejectAll(error: BridgeError): void {
      for (const { reject } of pending.values()) reject(error);
      pending.clear();
    },
  };
}

/** Reason why the output of the agent cannot be read any further. */
type OutputFault = 'message_too_long' | 'not_json';

const LINE_FEED = 0x0a;
const OPENING_BRACE = 0x7b;
const BLANKS: readonly number[] = [0x20, 0x09, 0x0d];

// Maximum number of bytes of a message without its images.
const MAX_TEXT_BYTES = 1024 * 1024;

interface Receiver {
  readonly onMessage: (message: StreamedJson) => void;
  /** Called for each line that is not a message, such as a line that a wrapper script prints when it starts. */
  readonly onSkippedLine: () => void;
}

/**
 * Creates a reader of JSON messages, one per line, that arrive in chunks. Long strings are decoded from base64 while
 * they arrive, and no message is stored as text. Bytes after the last line feed are not a message. A line whose first
 * character is not `{` is skipped. A line that begins with `{` but is not JSON is a fault, because such a line is a
 * damaged message.
 */
export function createMessageReader(
  maxMessageBytes: number,
  { onMessage, onSkippedLine }: Receiver,
) {
  // The total length of all messages is unlimited because a child runs any number of turns.
  const json = createJsonReader(MAX_TEXT_BYTES, { maxAllTextBytes: Number.POSITIVE_INFINITY });
  /** The kind of the current line, which is `blank` until its first visible character. */
  let line: 'blank' | 'message' | 'skipped' = 'blank';
  let lineBytes = 0;
  let fault: OutputFault | undefined;

  function take(part: Buffer): void {
    lineBytes += part.length;
    if (line === 'blank') line = kindOf(part);
    const isTooLong = lineBytes > maxMessageBytes || (line === 'message' && !json.push(part));
    if (isTooLong) fault = 'message_too_long';
  }

  function endLine(): void {
    const ended = line;
    line = 'blank';
    lineBytes = 0;
    if (ended === 'skipped') onSkippedLine();
    if (ended !== 'message') return;
    const message = json.end();
    if (message) onMessage(message);
    else fault = 'not_json';
  }

  return {
    /**
     * Calls `onMessage` for each message that `chunk` completes. Returns a fault if the output cannot be read any
     * further.
     */
    push(chunk: Buffer): OutputFault | undefined {
      let start = 0;
      while (!fault && start < chunk.length) {
        const found = chunk.indexOf(LINE_FEED, start);
        const end = found === -1 ? chunk.length : found;
        if (end > start) take(chunk.subarray(start, end));
        if (found !== -1 && !fault) endLine();
        start = end + 1;
      }
      return fault;
    },
  };
}

function kindOf(part: Buffer): 'blank' | 'message' | 'skipped' {
  const first = part.find((byte) => !BLANKS.includes(byte));
  if (first === undefined) return 'blank';
  return first === OPENING_BRACE ? 'message' : 'skipped';
}
