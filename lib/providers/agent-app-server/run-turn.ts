import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { afterOutputBegan, unusableImages } from '../failed-calls.ts';
import type {
  CallFacts,
  ProviderContext,
  ProviderOutput,
  ProviderRequest,
} from '../provider-port.ts';
import type { AgentChild } from './agent-child.ts';
import type { Notification } from './rpc-connection.ts';
import { isNotFound, threadNotFound, toTurnInput } from './threads.ts';
import { fromItemFailure, fromToolOutput, fromTurnError } from './turn-errors.ts';
import { type TurnItem, TurnNotification } from './turn-notification.ts';

interface Turn {
  readonly child: AgentChild;
  readonly threadId: string;
  readonly request: ProviderRequest;
  /** Paths of the files with the sources and references. */
  readonly paths: readonly string[];
  /**
   * True if the turn is interrupted as soon as its image has arrived, which saves a model call. The thread cannot be
   * used for another turn after the interruption, because its history says that the image was aborted.
   */
  readonly stopsAtImage: boolean;
}

interface RunningTurn {
  /**
   * Resolves with the image. Rejects if the turn made no image. If the signal aborts, rejects with the signal's reason
   * after the turn has ended.
   */
  readonly output: Promise<ProviderOutput>;
  /**
   * Resolves with true when the turn has ended, or with false if its end can no longer be observed. Never rejects.
   */
  readonly ended: Promise<boolean>;
}

/**
 * Starts one turn on a thread that has no running turn. Throws `upstream` or `protocol` if the child has ended. A
 * failure after `dispatched` reports the effect `unknown` if the outcome is unknown, because such a turn must not be
 * repeated.
 */
export function runTurn(
  { child, threadId, request, paths, stopsAtImage }: Turn,
  { signal, onEvent }: Pick<ProviderContext, 'signal' | 'onEvent'>,
  clock: Pick<Clock, 'nowMs'>,
): RunningTurn {
  child.throwIfEnded();
  let isReporting = true;
  const outcome = createTurnOutcome(request, clock.nowMs, (event) => {
    if (isReporting) onEvent(event);
  });
  /** Resolves with the value of `RunningTurn.ended`. */
  const over = Promise.withResolvers<boolean>();
  const hasImage = Promise.withResolvers<void>();
  let isInterrupted = false;
  let isStarted = false;
  let failure: BridgeError | undefined;

  const unsubscribe = child.subscribe(threadId, {
    onNotification(notification) {
      outcome.take(notification);
      if (outcome.image()) hasImage.resolve();
      if (outcome.hasEnded()) over.resolve(true);
      if (notification.method === 'turn/started') noteStart();
    },
    onEnd(cause) {
      failure ??= afterDispatch(cause);
      over.resolve(true);
    },
  });

  /** Repeats an interruption that was sent before the turn had begun and therefore had no effect. */
  function noteStart(): void {
    isStarted = true;
    if (isInterrupted) void interrupt();
  }

  /**
   * Interrupts the running turn. The empty turn id stands for the running turn. With the id of the turn, an
   * interruption would fail if the turn has not begun.
   */
  async function interrupt(): Promise<void> {
    isInterrupted = true;
    const isLate = isStarted;
    try {
      const reply = await child.request('turn/interrupt', { threadId, turnId: '' });
      if (!reply.ok) over.resolve(false);
      else if (isLate) over.resolve(true);
    } catch {
      over.resolve(false);
    }
  }

  async function start(): Promise<void> {
    try {
      const input = toTurnInput(request, paths);
      const reply = await child.request('turn/start', { threadId, input, effort: 'low' });
      if (reply.ok) {
        noteStart();
        return;
      }
      failure = isNotFound(reply.message)
        ? threadNotFound()
        : new BridgeError('upstream', 'the agent rejected the turn');
      over.resolve(true);
    } catch (thrown) {
      failure = afterDispatch(thrown);
      // The turn may be running although its start was not confirmed.
      isStarted = true;
      if (child.hasEnded()) over.resolve(true);
      else await interrupt();
    }
  }

  async function output(): Promise<ProviderOutput> {
    const onAbort = () => void interrupt();
    signal.addEventListener('abort', onAbort, { once: true });
    await (stopsAtImage ? Promise.race([hasImage.promise, over.promise]) : over.promise);
    signal.removeEventListener('abort', onAbort);
    isReporting = false;
    const image = outcome.image();
    if (signal.aborted) {
      await over.promise;
      throw signal.reason;
    }
    if (image && stopsAtImage && !outcome.hasEnded()) void interrupt();
    if (image) return image;
    throw outcome.hasEnded() ? outcome.failure() : (failure ?? afterDispatch(undefined));
  }

  onEvent({ type: 'progress', stage: 'dispatched' });
  void start();
  return { output: output(), ended: over.promise.finally(unsubscribe) };
}

/** Creates the error of a turn whose child was lost. An image may have been made and charged. */
function afterDispatch(cause: unknown): BridgeError {
  const code = cause instanceof BridgeError ? cause.code : 'upstream';
  const reason = cause instanceof BridgeError ? cause.details['reason'] : undefined;
  return new BridgeError(code, 'the agent was lost before the image was complete', {
    effect: 'unknown',
    details: { reason: reason ?? 'agent_lost' },
    cause,
  });
}

/**
 * Reduces the notifications of one turn to its outcome. The agent reports a turn as completed even if its image failed
 * or is missing.
 */
function createTurnOutcome(
  request: CallFacts,
  nowMs: () => number,
  onEvent: ProviderContext['onEvent'],
) {
  const [index = 0] = request.indices;
  const openItems = new Set<string>();
  const toolOutputs = new Map<string, string>();
  let image: ProviderOutput | undefined;
  let failedItem: TurnItem | undefined;
  let isUnusable = false;
  let turnId: string | null | undefined;
  let ended: { readonly status: string; readonly error: BridgeError | undefined } | undefined;

  function takeItem(item: TurnItem, message: Notification['message']): void {
    openItems.delete(item.id ?? '');
    if (item.status === 'failed' || !item.result) {
      failedItem ??= item;
      return;
    }
    // Only the first of several images is used.
    if (image) return;
    const bytes = message.bytesOf(item.result);
    const prompt = item.revisedPrompt;
    if (!bytes) isUnusable = true;
    else if (prompt && !message.isPlaceholder(prompt)) image = { bytes, revisedPrompt: prompt };
    else image = { bytes };
  }

  function failure(): BridgeError {
    if (isUnusable) return unusableImages('the agent returned no usable image', 'unusable_image');
    const failedOutput = toolOutputs.get(failedItem?.id ?? '') ?? [...toolOutputs.values()][0];
    const error = failedItem?.failure
      ? fromItemFailure(failedItem.failure, request, nowMs())
      : failedOutput !== undefined
        ? fromToolOutput(failedOutput, request)
        : (ended?.error ?? withoutImage(ended?.status));
    // The backend may still finish an image whose item never ended.
    return openItems.size > 0 ? afterOutputBegan(error) : error;
  }

  return {
    take(notification: Notification): void {
      const parsed = v.safeParse(TurnNotification, notification);
      if (!parsed.success) return;
      const { method, params } = parsed.output;
      const id = 'turn' in params ? params.turn.id : params.turnId;
      if (method === 'turn/started') turnId = id;
      // The last notifications of an interrupted turn may arrive after the next turn was accepted.
      if (id !== turnId) return;
      switch (method) {
        case 'item/started':
          if (params.item.type !== 'imageGeneration') return;
          openItems.add(params.item.id ?? '');
          if (openItems.size === 1 && !image) {
            onEvent({ type: 'progress', stage: 'generating', index });
          }
          return;
        case 'item/completed':
          if (params.item.type === 'imageGeneration') takeItem(params.item, notification.message);
          return;
        case 'rawResponseItem/completed': {
          const { call_id: callId, output } = params.item;
          if (!callId || !output || notification.message.isPlaceholder(output)) return;
          toolOutputs.set(callId, output);
          return;
        }
        case 'turn/completed': {
          const { status, error } = params.turn;
          ended = { status, error: error ? fromTurnError(error, request) : undefined };
          return;
        }
        default:
      }
    },

    /**
     * Returns true if the turn has ended. If the model stopped waiting for an image, the image arrives after the end of
     * the turn.
     */
    hasEnded: () => ended !== undefined && (openItems.size === 0 || ended.status !== 'completed'),

    image: () => image,

    /** Returns the reason for a missing image after the turn has ended. */
    failure,
  };
}

/** Creates the error of a turn that ended without an image and without an error. */
function withoutImage(status: string | undefined): BridgeError {
  if (status === 'interrupted') {
    return new BridgeError('upstream', 'the agent interrupted the turn', {
      effect: 'unknown',
      details: { reason: 'turn_interrupted' },
    });
  }
  return new BridgeError('upstream', 'the agent ended the turn without an image', {
    details: { reason: 'no_image' },
  });
}
