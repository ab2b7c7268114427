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
import { parseTurnNotification, type TurnItem } from './turn-notification.ts';

interface Turn {
  readonly child: AgentChild;
  readonly threadId: string;
  readonly request: ProviderRequest;
  /** The files of its sources and references. */
  readonly paths: readonly string[];
  /**
   * Whether the turn is interrupted as soon as there is an image, which saves a model call. The thread has no use for
   * another turn then: its history says that the image was aborted.
   */
  readonly stopsAtImage: boolean;
}

interface RunningTurn {
  /** Rejects with why there is no image, or with the signal's reason once the turn has ended. */
  readonly output: Promise<ProviderOutput>;
  /** Resolves with whether the turn is known to have ended, when nothing more can be learned. Never rejects. */
  readonly ended: Promise<boolean>;
}

/**
 * Starts one turn on a thread that has none running. Throws `upstream`, `protocol` for a child that has ended. Once `dispatched` was reported, a failure of unknown outcome says so:
 * such a turn must not be repeated.
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
  /** Resolves with whether the turn is known to have ended. */
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

  /** An interruption that came before the turn had begun has ended nothing: it is repeated. */
  function noteStart(): void {
    isStarted = true;
    if (isInterrupted) void interrupt();
  }

  /** With the id of the turn an early interruption fails; the empty one means the turn that runs. */
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
        : new BridgeError('upstream', 'the agent refuses the turn');
      over.resolve(true);
    } catch (thrown) {
      failure = afterDispatch(thrown);
      // The turn may run although its start was not confirmed.
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

/** The child was lost in the middle of a turn: it is not known whether an image was made and paid for. */
function afterDispatch(cause: unknown): BridgeError {
  const code = cause instanceof BridgeError ? cause.code : 'upstream';
  const reason = cause instanceof BridgeError ? cause.details['reason'] : undefined;
  return new BridgeError(code, 'the agent was lost before the image was complete', {
    effect: 'unknown',
    details: { reason: reason ?? 'agent_lost' },
    cause,
  });
}

interface EndOfTurn {
  readonly status: string;
  readonly error: BridgeError | undefined;
}

/**
 * Adds up the notifications of one turn to its outcome. A failed image does not fail the turn of the agent, and a turn
 * without an image does not fail either (agent-app-server.md, 5.2 and 5.3).
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
  let ended: EndOfTurn | undefined;

  function takeItem(item: TurnItem, message: Notification['message']): void {
    openItems.delete(item.id ?? '');
    if (item.status === 'failed' || !item.result) {
      failedItem ??= item;
      return;
    }
    // With several images the first one counts.
    if (image) return;
    const bytes = message.bytesOf(item.result);
    const prompt = item.revisedPrompt;
    if (!bytes) isUnusable = true;
    else if (prompt && !message.isPlaceholder(prompt)) image = { bytes, revisedPrompt: prompt };
    else image = { bytes };
  }

  function failure(): BridgeError {
    if (isUnusable) return unusableImages('the agent gave no usable image', 'unusable_image');
    const failedOutput = toolOutputs.get(failedItem?.id ?? '') ?? [...toolOutputs.values()][0];
    const error = failedItem?.failure
      ? fromItemFailure(failedItem.failure, request, nowMs())
      : failedOutput !== undefined
        ? fromToolOutput(failedOutput, request)
        : failureOfTurn(ended);
    // The backend may still finish an image whose item never ended.
    return openItems.size > 0 ? afterOutputBegan(error) : error;
  }

  return {
    take(notification: Notification): void {
      const taken = parseTurnNotification(notification);
      if (taken?.type === 'turn_started') turnId = taken.turnId;
      // The last notifications of an interrupted turn may come after the next one was accepted.
      if (taken?.turnId !== turnId) return;
      switch (taken?.type) {
        case 'item_started':
          if (taken.item.type !== 'imageGeneration') return;
          openItems.add(taken.item.id ?? '');
          if (openItems.size === 1 && !image) {
            onEvent({ type: 'progress', stage: 'generating', index });
          }
          return;
        case 'item_completed':
          if (taken.item.type === 'imageGeneration') takeItem(taken.item, notification.message);
          return;
        case 'tool_output':
          if (!notification.message.isPlaceholder(taken.output)) {
            toolOutputs.set(taken.callId, taken.output);
          }
          return;
        case 'turn_completed': {
          const { status, error } = taken;
          ended = { status, error: error && fromTurnError(error, request) };
          return;
        }
        default:
      }
    },

    /** The turn is over. Where the model has stopped waiting for an image, it comes after that (3.5). */
    hasEnded: () => ended !== undefined && (openItems.size === 0 || ended.status !== 'completed'),

    image: () => image,

    /** Why there is no image, once the turn has ended. */
    failure,
  };
}

/** The failure of a turn that ended without an image, and without a failed image. */
function failureOfTurn(ended: EndOfTurn | undefined): BridgeError {
  if (ended?.error) return ended.error;
  if (ended?.status === 'interrupted') {
    return new BridgeError('upstream', 'the agent has interrupted the turn', {
      effect: 'unknown',
      details: { reason: 'turn_interrupted' },
    });
  }
  return new BridgeError('upstream', 'the turn of the agent ended without an image', {
    details: { reason: 'no_image' },
  });
}
