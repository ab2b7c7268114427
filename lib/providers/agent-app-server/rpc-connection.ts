import type { Readable, Writable } from 'node:stream';
import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { TimeSlices } from '../../platform/time-slices.ts';
import type { StreamedJson } from '../http/streamed-json.ts';
import { createMessageReader } from './message-reader.ts';
import { createPendingRequests, type RpcReply } from './pending-requests.ts';

/** A notification of the child. */
export interface Notification {
  readonly method: string;
  readonly params: unknown;
  /** The message, which knows the bytes of long strings. */
  readonly message: StreamedJson;
}

interface Deps {
  readonly input: Writable;
  readonly output: Readable;
  readonly clock: Pick<Clock, 'after'>;
  readonly slices: TimeSlices;
  /** `rpc_max_message_bytes`. */
  readonly maxMessageBytes: number;
  /** `rpc_timeout_ms`. */
  readonly timeoutMs: number;
  readonly onNotification: (notification: Notification) => void;
  /** Called for each line of the output that is no message. */
  readonly onSkippedLine: () => void;
  /** Returns undefined for a method that is not supported; a rejection becomes an error response. */
  readonly handleRequest: (method: string, params: unknown) => Promise<unknown> | undefined;
  /** The output cannot be understood, or the child does not react: it is of no use any more. */
  readonly onFault: () => void;
}

/** Ids of either side; the child counts from 0. */
const Id = v.union([v.number(), v.string()]);

const Message = v.object({
  id: v.optional(Id),
  method: v.optional(v.string()),
  params: v.optional(v.unknown()),
  result: v.optional(v.unknown()),
  error: v.optional(v.fallback(v.object({ message: v.string() }), { message: '' })),
});

// Responses to a child that does not read them.
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;

/** JSON-RPC on the standard streams of the child, one message a line (agent-app-server.md, 1). */
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
    finish(
      new BridgeError('protocol', 'the agent does not follow its protocol', {
        details: { reason },
      }),
    );
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
    const reader = createMessageReader(deps.maxMessageBytes, {
      onMessage: take,
      onSkippedLine: deps.onSkippedLine,
    });
    const { signal } = new AbortController();
    try {
      for await (const chunk of output) {
        const fault = await slices.runStep(() => (end ? undefined : reader.push(chunk)), signal);
        if (fault && !end) breakOff(fault);
      }
    } catch {
      // An output that breaks has ended.
    }
    return finish(agentEnded());
  }

  return {
    /**
     * Resolves with the response. Rejects with `upstream`, retryable, when the child ends first or does not respond in time,
     * with `protocol` when it breaks its protocol. The request has been written when this returns, unless `hasEnded`.
     */
    request(method: string, params: object): Promise<RpcReply> {
      if (end) return Promise.reject(end);
      const messagesBefore = messages;
      const { id, reply } = pending.add(() => {
        // A child that writes nothing at all hangs.
        if (messages === messagesBefore) breakOff('silent');
      });
      write({ id, method, params });
      return reply;
    },

    notify: (method: string) => write({ method }),

    /** Nothing is written to the child any more. */
    hasEnded: () => end !== undefined,

    /** Throws what a request would reject with. */
    throwIfEnded(): void {
      if (end) throw end;
    },

    /** Resolves with why, when all that the child has written was read. */
    ended: read(),
  };
}

function agentEnded(): BridgeError {
  return new BridgeError('upstream', 'the agent has ended', { retryable: true });
}
